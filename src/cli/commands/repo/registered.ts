import { FerryError } from "../../../base/errors.ts";
import { textOf } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { isSameAddress } from "../../flows/place/remotes.ts";
import { type KnownRepository, visibleRepositories } from "../../flows/place/repository.ts";

/** What was asked for by flags; undefined is no wish. */
export interface Wishes {
  readonly fullName: string | undefined;
  /** The id of the one that was named. */
  readonly provider: string | undefined;
  readonly platform: string | undefined;
  readonly defaultBranch: string | undefined;
  readonly externalId: string | undefined;
  readonly disabled: boolean;
}

/** The repository that lies there and is registered already, as far as the key may see; by https and ssh it is one. */
export async function findRegistered(connection: Connection, cloneUrl: string): Promise<KnownRepository | undefined> {
  const all = await visibleRepositories(connection);
  return all.find(({ clone_url }) => isSameAddress(textOf(clone_url), cloneUrl));
}

/**
 * Registering a place again changes nothing of it.
 * @throws FerryError usage where something is wished for that isn't so, with how it is
 */
export function refuseOther(known: KnownRepository, wishes: Wishes): void {
  const pairs: readonly (readonly [flag: string, wish: string | undefined, there: unknown])[] = [
    ["--full-name", wishes.fullName, known.full_name],
    ["--provider", wishes.provider, known.code_provider_id],
    ["--platform", wishes.platform, known.platform],
    ["--default-branch", wishes.defaultBranch, known.default_branch],
    ["--external-id", wishes.externalId, known.external_id],
  ];
  const other = pairs.filter(([, wish, there]) => wish !== undefined && wish !== textOf(there));
  const details = other.map(([flag, , there]) => `${flag} is ${textOf(there) === "" ? "empty" : textOf(there)} there`);
  const id = shellWord(known.id);
  const name = nameOf(known);
  if (details.length > 0)
    throw new FerryError("usage", `this repository is registered already, as ${name}`, {
      details,
      hint: `leave that out, or register it anew after: ferry repo delete ${id}`,
    });
  if (wishes.disabled && known.enabled === true)
    throw new FerryError("usage", `this repository is registered already, as ${name}, and enabled`, {
      hint: `ferry repo edit ${id} --disable`,
    });
}

/** What tells it from another one. */
export function nameOf({ full_name, id }: KnownRepository): string {
  return textOf(full_name) === "" ? id : `${textOf(full_name)} (${id})`;
}
