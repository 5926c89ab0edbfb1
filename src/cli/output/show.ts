import type { Listing } from "../../client/pages.ts";
import type { Context } from "../context.ts";
import { record } from "./record.ts";
import { table, type Column } from "./table.ts";

/**
 * A list: one array with --json, else a table. That a limit left some out is said on stderr, and of what, `many`, there is none.
 * @throws FerryError failure, after what there is, where the service doesn't give all of it
 */
export async function showList<Row>(
  { print, global, host }: Context,
  { items, more, withheld }: Listing<Row>,
  columns: readonly Column<Row>[],
  { known, many }: { readonly known: readonly string[]; readonly many: string },
): Promise<void> {
  if (global.json) await print.json(items, known);
  else await print.data(await table(items, columns, host.terminal.stdout));
  if (more && withheld === undefined)
    await print.note(
      `there is more than ${items.length === 1 ? "this one" : `these ${items.length}`}: raise --limit, or leave it out`,
    );
  else if (items.length === 0 && !global.json && withheld === undefined) await print.note(`no ${many}`);
  // A script would take it for all that there is.
  if (withheld !== undefined) throw withheld.error;
}

/** What a command changed, which the user knows: nothing with --quiet, unless JSON of it is asked for. */
export async function showChanged(...[context, resource, lines, known]: Parameters<typeof showOne>): Promise<void> {
  if (context.global.json || !context.global.quiet) await showOne(context, resource, lines, known);
}

/** What is shown of a resource: named values. */
export type Lines = readonly (readonly [name: string, value: string | null | undefined])[];

/** One resource: as it came with --json, else the named values a line each; they may have to be asked for. */
export async function showOne(
  { print, global, host }: Context,
  resource: unknown,
  lines: Lines | (() => Promise<Lines>),
  known: readonly string[],
): Promise<void> {
  if (global.json) return print.json(resource, known);
  await print.data(await record(typeof lines === "function" ? await lines() : lines, host.terminal.stdout));
}
