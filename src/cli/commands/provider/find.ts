import { shortId, withIdLike } from "../../../base/ids.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { listAll } from "../../../client/pages.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Host } from "../../../host/host.ts";
import type { Provider } from "../../../wire/resources.ts";
import type { Connection } from "../../flows/host/connect.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export type KnownProvider = Tolerant<Provider>;

/** The one of that id or name. The interface has no call to read one, so it is looked for in the list. */
export async function findProvider({ client, name }: Connection, given: string): Promise<KnownProvider> {
  const all = await listAll(client.listProviders);
  const called = all.filter((provider) => provider.name === given);
  const matching = called.length > 0 ? called : withIdLike(all, given);
  const [only] = matching;
  if (only === undefined)
    throw new FerryError("not_found", `${name} has no provider ${oneLine(given)}`, { hint: "ferry provider list" });
  if (matching.length > 1)
    throw new FerryError("usage", `${oneLine(given)} could be several providers`, {
      details: matching.map(({ id }) => id),
      hint: "name one by its id",
    });
  return only;
}

export const providerColumns: readonly Column<KnownProvider>[] = [
  { header: "ID", value: ({ id }, terminal) => (terminal ? shortId(id) : id) },
  { header: "NAME", value: ({ name }) => name },
  { header: "PLATFORM", value: ({ platform }) => platform },
  { header: "ADDRESS", value: ({ base_url }) => base_url },
];

export function providerLines(provider: KnownProvider, { clock, terminal }: Host): [string, string | null | undefined][] {
  const time = (text: string | null | undefined): string | undefined => when(text, terminal.stdout.isTTY, clock.now());
  return [
    ["id", provider.id],
    ["name", provider.name],
    ["platform", provider.platform],
    ["address", provider.base_url],
    ["credential", provider.metadata?.type],
    ["created", time(provider.created_at)],
    ["updated", time(provider.updated_at)],
  ];
}
