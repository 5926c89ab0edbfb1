import { FerryError } from "../base/errors.ts";
import type { Page } from "./answers.ts";
import { cursorOf } from "./cursor.ts";
import { broken } from "./http/json.ts";
import { type Withheld, withheld } from "./withheld.ts";

/** So many pages in a row may bring nothing new: a filter of the service's own may leave some empty. */
export const mostVain = 20;

/** What a list of more of them is. */
export function vainPages(): FerryError {
  return broken(`a list without end: ${mostVain} pages in a row with nothing new`);
}

/** A list's call, e.g. `client.listSessions`. */
export type ListCall<Item> = (input: never) => Promise<Page<Item>>;

export interface ListOptions {
  /** `status`, `user_id`, `include` of the session list: names that the seed leaves open, so that a service may know others. */
  readonly filters?: Readonly<Record<string, string | undefined>>;
  /** The most items wanted; without it, all. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: ((line: string) => void) | undefined;
}

/** Which of two comes first, as `sort` takes it: a service may have an order of its own. */
export interface Ordered<Item> {
  readonly order?: (one: Item, other: Item) => number;
}

export interface Listing<Item> {
  readonly items: Item[];
  /** Whether the limit left some out. */
  readonly more: boolean;
  /** Where the service doesn't give the rest, and a limit wasn't reached before. */
  readonly withheld?: Withheld;
}

/** All items of a list; those that the service gives where it gives no more, which is told. See readList. */
export async function listAll<Item extends object>(
  call: ListCall<Item>,
  options: Omit<ListOptions, "limit"> = {},
): Promise<Item[]> {
  const { items, withheld: rest } = await readList(call, options);
  rest?.tell();
  return items;
}

/**
 * The items of a list from all its pages, those alone that the filters let through, also where the service ignores or refuses them.
 * With an `order`, a limit spares the pages behind it only as long as they come in that order: else the whole is read, and put into it.
 * @throws FerryError unavailable where the cursors go in a circle, or lead on and on to nothing new, or are none
 */
export async function readList<Item extends object>(
  call: ListCall<Item>,
  options: ListOptions & Ordered<Item> = {},
): Promise<Listing<Item>> {
  const items: Item[] = [];
  const { limit = Infinity, order = asTheyCome } = options;
  let ordered = true;
  let rest: Withheld | undefined;
  for await (const page of pages(call, options)) {
    rest = page[withheld];
    for (const item of page.items) {
      if (!passes(item, options.filters)) continue;
      const last = items.at(-1);
      ordered &&= last === undefined || order(last, item) <= 0;
      items.push(item);
    }
    if (!ordered) continue;
    if (items.length > limit) return { items: items.slice(0, limit), more: true };
    if (items.length === limit && cursorOf(page) !== undefined) return { items, more: true };
  }
  const listing = { items: items.toSorted(order).slice(0, limit), more: items.length > limit };
  return rest === undefined ? listing : { ...listing, withheld: rest };
}

function asTheyCome(): number {
  return 0;
}

/** As the client gives it. */
type GivenPage<Item> = Page<Item> & { readonly [withheld]?: Withheld };

async function* pages<Item>(call: ListCall<Item>, options: ListOptions): AsyncGenerator<GivenPage<Item>> {
  const seen = new Set<string>();
  const ids = new Set<unknown>();
  let vain = 0;
  const read = call as (input: object) => Promise<GivenPage<Item>>;
  let guessed: Readonly<Record<string, string | undefined>> = { ...options.filters, ...pageSize(options.limit) };
  for (let cursor: string | undefined; ;) {
    let page: GivenPage<Item>;
    try {
      page = await read({ query: { ...guessed, cursor }, signal: options.signal });
    } catch (error) {
      if (!isRefusal(error) || Object.keys(guessed).length === 0) throw error;
      options.trace?.(
        `the service refuses ${Object.keys(guessed).join(", ")} on a list (${error.message}): asked without, filtered here`,
      );
      guessed = {};
      continue;
    }
    const next = cursorOf(page);
    yield page;
    if (next === undefined) return;
    const had = ids.size;
    for (const { id } of page.items as readonly { readonly id?: unknown }[]) ids.add(id);
    vain = ids.size > had ? 0 : vain + 1;
    if (vain >= mostVain) throw vainPages();
    cursor = next;
    if (seen.has(cursor))
      throw new FerryError("unavailable", "the service's list goes in a circle: a page names one that came before");
    seen.add(cursor);
  }
}

/** The seed shows no page size: it goes out only when the user wants few. One item alone would not show in which order they come. */
function pageSize(limit: number | undefined): Readonly<Record<string, string>> {
  return limit === undefined || limit > 200 ? {} : { limit: String(Math.max(limit, 2)) };
}

function isRefusal(error: unknown): error is FerryError {
  return error instanceof FerryError && (error.status === 400 || error.status === 422);
}

/** A filter is a field's value. A field that isn't there says nothing against an item. */
function passes(item: object, filters: ListOptions["filters"] = {}): boolean {
  return Object.entries(filters).every(([name, wanted]) => {
    const value = (item as Readonly<Record<string, unknown>>)[name];
    return wanted === undefined || value === undefined || value === null || value === wanted;
  });
}
