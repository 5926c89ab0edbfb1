import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { lie, type SeriesItem } from "../series/series.ts";
import type { Workshop } from "./engine.ts";

/**
 * Writes the sandbox's commit objects byte for byte: with signatures, encodings, odd idents and messages that no command line
 * could make again. Their trees must be there already.
 */
export async function writeCommits(items: readonly SeriesItem[], { git, quarantine, checkpoint }: Workshop): Promise<void> {
  const folder = join(quarantine.folder, "commits");
  await mkdir(folder);
  for (const item of items) await writeFile(join(folder, String(item.sequence)), item.raw);
  const input = items.map((item) => `${join(folder, String(item.sequence))}\n`).join("");
  const args = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"];
  const result = await git.run(args, { ...quarantine.options, input });
  const written = result.stdout.toString("latin1").trim().split("\n");
  const wrong = items.find((item, at) => written[at] !== item.commit);
  if (wrong !== undefined) throw systemTrouble(args, result) ?? lie("git doesn't take it for a commit", wrong);
  if (result.code !== 0) throw gitError(args, result);
  await rm(folder, { recursive: true });
  await checkpoint("written");
}
