import { FerryError } from "../../../base/errors.ts";
import type { ExecOptions } from "../../sandbox/driver.ts";
import { runInside } from "../workspace/inside.ts";
import type { Scene } from "./tool.ts";

/** Paths that an event lists. */
const mostPaths = 300;

/** What a script printed: NUL-terminated fields. Whatever it says comes out of the sandbox, and is believed nothing of. */
export async function fieldsInside(
  { sandbox, signal }: Scene,
  script: string,
  args: readonly string[],
  options: ExecOptions = {},
): Promise<string[]> {
  const output = await runInside(sandbox, script, args, { limit: 4 * 1024 * 1024, signal, ...options });
  return output.toString("utf8").split("\0").slice(0, -1);
}

/** @throws FerryError failure where a sandbox gave something else as a commit */
export function commitId(text: string | undefined): string {
  if (text !== undefined && /^[0-9a-f]{40}([0-9a-f]{24})?$/u.test(text)) return text;
  throw new FerryError("failure", "git in the sandbox gave no commit");
}

export function pathsOf(fields: readonly string[]): string[] {
  return fields.slice(0, mostPaths);
}

/** For the agent: what there is, each on its line. */
export function listed(title: string, paths: readonly string[]): string {
  return [`${title}:`, ...paths.map((path) => `- ${path}`)].join("\n");
}
