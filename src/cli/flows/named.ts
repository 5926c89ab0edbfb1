import { shown } from "../../auth/address.ts";
import { FerryError } from "../../base/errors.ts";
import { withIdLike } from "../../base/ids.ts";
import { oneLine, textOf } from "../../base/text.ts";

/** What is looked for, in words: what one is called and several are, and the noun whose `list` shows them. */
export interface Sort {
  readonly one: string;
  readonly several: string;
  readonly noun: string;
}

/** Where there are no more, all are told to who named none of them. */
const mostTold = 8;

interface Candidates<T> {
  readonly all: readonly T[];
  readonly called: readonly T[];
  /** What tells one from another that is called the same, beside its id. */
  readonly about: (item: T) => readonly (string | null | undefined)[];
}

/**
 * The one thing of a service that the user named: of those that are called so, else of those whose id begins so.
 * @throws FerryError not_found where there is none, with those that there are where they are few; usage with the ids, and what they are, where several match
 */
export function theOneNamed<T extends { readonly id: string }>(
  given: string,
  { all, called, about }: Candidates<T>,
  { one, several, noun }: Sort,
  service: string,
): T {
  const matching = called.length > 0 ? called : withIdLike(all, given);
  const [only] = matching;
  // An address that somebody copied may have a password in it.
  const named = shown(given);
  const told = (items: readonly T[]): string[] =>
    items.map((item) => [item.id, ...about(item).map(textOf)].filter(Boolean).map(oneLine).join("  "));
  if (only === undefined)
    throw new FerryError("not_found", `${service} has no ${one} ${named}`, {
      details: all.length > mostTold ? [] : told(all),
      hint: `ferry ${noun} list`,
    });
  if (matching.length > 1)
    throw new FerryError("usage", `${named} could be several ${several}`, {
      details: told(matching),
      hint: "name one by its id",
    });
  return only;
}
