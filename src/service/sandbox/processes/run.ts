import { text } from "node:stream/consumers";
import { systemPath } from "../environment.ts";
import { start } from "./start.ts";

/** Runs one of the system's programs to its end. @throws FerryError failure where it isn't there */
export async function run(argv: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const started = await start({ argv, env: { PATH: systemPath, LC_ALL: "C" }, cwd: "/" });
  started.stdin.end();
  const stdout = await text(started.stdout);
  await started.closed;
  const { code } = await started.exit;
  return { code, stdout, stderr: started.stderrTail().toString("utf8") };
}
