import type { Mail } from "../../series/mails.ts";
import { short } from "../../series/series.ts";
import { Unsuited } from "../engine.ts";
import type { Contents } from "./contents.ts";
import { Cursor, Unreadable } from "./cursor.ts";
import { Effects } from "./effects.ts";
import { type Made, readFilePatch } from "./file-patch.ts";

/**
 * The contents that a commit's diff makes, each of them what its id says. Once all are given, the diff did exactly what the manifest
 * says of the commit, and nothing in that is other than git's own form.
 * @throws Unsuited for any other diff, and for one that makes a file of more than `limit` bytes
 */
export async function* readMail(
  { item, diff }: Mail,
  { contents, limit }: { contents: Pick<Contents, "read">; limit: number },
): AsyncGenerator<Made> {
  const idLength = item.tree.length;
  const effects = new Effects();
  const reading = { diff: new Cursor(diff), contents, format: idLength === 40 ? "sha1" : "sha256", effects, limit } as const;
  try {
    while (reading.diff.startsWith("diff --git ")) {
      const made = await readFilePatch(reading);
      if (made !== undefined) yield made;
    }
    if (!/^\n*$/u.test(diff.toString("latin1", reading.diff.at))) throw new Unreadable("something behind it");
    effects.compare(item.changes, idLength);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Unsuited(`commit ${short(item.commit)}: ${error.message}`, { cause: error });
  }
}
