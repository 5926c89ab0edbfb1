import { FerryError } from "../base/errors.ts";
import { exactWord } from "../base/words.ts";

/** On the page that stands in the place of one that a service refused to give. */
export const withheld = Symbol("withheld");

/** That a list goes on, and its service doesn't give the rest by the name that we know for that: the seed shows none (its rule 4). */
export interface Withheld {
  /** For whom a part of the list is not enough. */
  readonly error: FerryError;
  /** For whom it may do: says that there is more, once. */
  tell(): void;
}

export interface Refusal {
  readonly error: FerryError;
  /** Who refused it. */
  readonly service: string;
  /** The list's path. */
  readonly path: string;
  readonly warn: ((line: string) => void) | undefined;
}

/** An empty page, the last one. */
export function withheldPage({ error, service, path, warn }: Refusal): object {
  const what = `${service} gives a list's first page, and refuses \`cursor\`, by which the rest is asked for`;
  const { status, code } = error;
  const list = exactWord(`${path}?NAME=CURSOR`) ?? "PATH";
  const known: Withheld = {
    error: new FerryError("failure", `this is not all: ${what} (${error.message})`, {
      status,
      code: code ?? "withheld",
      hint: `ask for the rest by the service's own name for it: ferry api GET ${list}`,
      cause: error,
    }),
    tell: () => warn?.(`${what}: only what is on that page is known`),
  };
  return { items: [], next_cursor: null, [withheld]: known };
}
