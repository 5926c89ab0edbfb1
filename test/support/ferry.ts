import { run } from "../../src/cli/run.ts";
import type { World } from "./world.ts";

export interface FerryResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, in a world of its own. */
export async function ferry(world: World, ...argv: readonly string[]): Promise<FerryResult> {
  const code = await run(argv, world.host);
  const { stdout, stderr } = world.terminal.written;
  return { code, stdout, stderr };
}
