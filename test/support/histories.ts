import fc from "fast-check";
import { gitBytes, type TestGit } from "./git.ts";
import { act, operation, type Operation } from "./operations.ts";

const message = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);
export const commit = fc.record({
  operations: fc.array(operation, { maxLength: 4 }),
  message,
  isMerge: fc.integer({ max: 9, min: 0 }).map((one) => one === 0),
});
/** Does the operations, and commits all with a message of any bytes. */
export function commitAll(
  git: TestGit,
  { operations, message: text, isMerge }: { operations: Operation[]; message: string; isMerge: boolean },
): void {
  for (const one of operations) act(git, one);
  git("add", "--all");
  const tree = git("write-tree");
  const parent = git("rev-parse", "HEAD");
  const side = isMerge ? [git("commit-tree", "-p", parent, "-m", "side", tree)] : [];
  const lines = [
    `tree ${tree}`,
    ...[parent, ...side].map((id) => `parent ${id}`),
    "author A <a@b> 1764000000 +0100",
    "committer C <c@d> 1764000001 -0330",
  ];
  const raw = Buffer.concat([Buffer.from(`${lines.join("\n")}\n\n`), Buffer.from(text.replaceAll("\0", ""), "latin1")]);
  git(
    "update-ref",
    "HEAD",
    gitBytes(git.folder, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: raw }).toString().trim(),
  );
}
