import { text } from "node:stream/consumers";
import { systemPath } from "../environment.ts";
import { type Command, start } from "./start.ts";

/** How a program ended, and what it said. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** Its last 64 KiB. */
  readonly stderr: string;
}

/** Runs one of the system's programs to its end. @throws FerryError failure where it isn't there */
export async function run(argv: readonly string[]): Promise<Ran> {
  return runCommand({ argv, env: { PATH: systemPath, LC_ALL: "C" }, cwd: "/" });
}

/** Runs a command to its end, with what it is to read. @throws FerryError failure where it isn't there */
export async function runCommand(command: Command, input?: Uint8Array): Promise<Ran> {
  const started = await start(command);
  started.stdin.end(input);
  const stdout = await text(started.stdout);
  await started.closed;
  const { code } = await started.exit;
  return { code, stdout, stderr: started.stderrTail().toString("utf8") };
}
