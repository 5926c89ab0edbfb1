import { shown } from "../../auth/address.ts";
import { FerryError } from "../../base/errors.ts";
import { withIdLike } from "../../base/ids.ts";
import { cut, oneLine, textOf } from "../../base/text.ts";
import { nearMisses } from "../near.ts";
import type { Connection } from "./host/connect.ts";

/** What is looked for, in words: what one is called and several are, and the noun whose `list` shows them. */
export interface Sort {
  readonly one: string;
  readonly several: string;
  readonly noun: string;
}

/** Where it is looked for. */
type Place = Pick<Connection, "name" | "argument">;

/** So many may have been meant; more than that is no help. */
const mostMeant = 3;

/** Where there are no more, all are told to who named none of them. */
const mostTold = 8;

interface Candidates<T> {
  readonly all: readonly T[];
  readonly called: readonly T[];
  /** What it is called, and what tells it from another that is called the same, beside its id. */
  readonly about: (item: T) => readonly unknown[];
}

/**
 * The one thing of a service that the user named, by its id or by what it is called. Nothing less names it: the name of one that is gone
 * may be the start of another's id.
 * @throws FerryError not_found where there is none, with what may have been meant, and those that there are where they are few; usage with the ids, and what they are, where several match
 */
export function theOneNamed<T extends { readonly id: string }>(
  given: string,
  { all, called, about }: Candidates<T>,
  { one, several, noun }: Sort,
  { name: service, argument }: Place,
): T {
  const same = all.filter(({ id }) => id === given);
  const matching = same.length > 0 ? same : called;
  const [only] = matching;
  // An address that somebody copied may have a password in it.
  const named = cut(shown(given), 100);
  const told = (items: readonly T[]): string[] => rowsOf(items.map((item) => [item.id, ...about(item).map(textOf)]));
  if (only === undefined) {
    const begun = withIdLike(all, given).map(({ id }) => id);
    const meant =
      begun.length > 0
        ? begun
        : nearMisses(
            given,
            all.map((item) => textOf(about(item)[0])),
          );
    throw new FerryError("not_found", `${service} has no ${one} ${named}`, {
      details: all.length > mostTold ? [] : told(all),
      hint:
        meant.length > 0 && meant.length <= mostMeant
          ? `did you mean ${meant.map(oneLine).join(" or ")}?`
          : `ferry ${noun} list${argument}`,
    });
  }
  if (matching.length > 1)
    throw new FerryError("usage", `${named} could be several ${several}`, {
      details: told(matching),
      hint: "name one by its id",
    });
  return only;
}

/** As details of an error, without the columns in which there is nothing. */
function rowsOf(rows: readonly (readonly string[])[]): string[] {
  const isUsed = (at: number): boolean => rows.some((row) => row[at] !== "");
  return rows.map((row) => row.flatMap((cell, at) => (isUsed(at) ? [oneLine(cell) || "–"] : [])).join("\t"));
}
