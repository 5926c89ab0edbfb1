import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Problem } from "../problem.ts";
import type { Page, PageQuery } from "./store.ts";

const presetLimit = 50;

/** A place in a list that is ordered by age: everything after it is older, or as old with a lesser id. */
export interface Position {
  readonly created_at: string;
  readonly id: string;
}

/**
 * One page of a list that is newest first. `read` gives at most `limit` rows behind a position.
 * @throws Problem 400 `invalid_cursor`
 */
export async function readPage<T extends Position>(
  { cursor = "", limit = presetLimit }: PageQuery,
  read: (limit: number, behind: Position | undefined) => Promise<T[]>,
): Promise<Page<T>> {
  // One more than asked for tells whether there is a next page.
  const rows = await read(limit + 1, cursor === "" ? undefined : parseCursor(cursor));
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? makeCursor(last) : "" };
}

/** The condition for rows behind a position in a list that is newest first. */
export function olderThan({ created_at, id }: Position): RawBuilder<SqlBool> {
  return sql<SqlBool>`(created_at, id) < (${created_at}, ${id})`;
}

function makeCursor({ created_at, id }: Position): string {
  return Buffer.from(`${created_at} ${id}`).toString("base64url");
}

function parseCursor(cursor: string): Position {
  const [, created_at, id] = /^([0-9TZ:.-]+) (\w+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (created_at === undefined || id === undefined)
    throw new Problem(400, "invalid_cursor", "cursor: is not one that this service gave");
  return { created_at, id };
}
