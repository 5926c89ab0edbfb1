import { cut, oneLine } from "../../base/text.ts";
import { type ListCall, readList } from "../../client/pages.ts";

/** Many pages take longer than a person waits; who looks for an older one types the start of its id. */
const most = 200;

/** What a list has that is worth offering. */
export async function newest<Item extends object>(call: ListCall<Item>): Promise<Item[]> {
  return (await readList(call, { limit: most })).items;
}

/** What there is to tell of one, as a candidate's description. */
export function said(parts: readonly (string | null | undefined)[]): string {
  return cut(oneLine(parts.filter(Boolean).join("  ")), 60);
}
