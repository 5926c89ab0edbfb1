import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Limit, Probe, Sandbox, SandboxLimits, SandboxSpec } from "./driver.ts";

/** The limits of the sandbox that is tried out. */
export const limits: SandboxLimits = { memoryMB: 512, processes: 64, cpus: 1, diskMB: 16, wall: 60_000 };

/** How a line of a check begins that isn't a hole. */
export const weak = "weak: ";
export const unkept = "unenforced: ";

/** What a driver has looked at in a sandbox of its own. */
export interface Check {
  /** Runs inside: prints a line for each guarantee that would be missed silently. */
  readonly script: string;
  readonly args: readonly string[];
  /** The remedy for what the sandbox's maker complained of. */
  readonly remedyFor: (complaint: string) => Promise<string | undefined>;
}

/** The answer that a driver works here, by its version, or why it doesn't. Never throws: that it doesn't work is the answer. */
export async function answer(ask: () => Promise<Omit<Probe, "works">>): Promise<Probe> {
  try {
    return { works: true, ...(await ask()) };
  } catch (error) {
    const { message, hint } = asFerryError(error);
    return no(hint === undefined ? message : `${message}: ${hint}`);
  }
}

export function no(reason: string): Probe {
  return { works: false, reason, unenforced: [], weak: [] };
}

/**
 * Makes a sandbox, looks around in it and removes it. Gives what is weak in one that is otherwise as it should be.
 * @throws FerryError failure with what isn't
 */
export async function tryOut(
  create: (spec: SandboxSpec) => Promise<Sandbox>,
  check: Check,
): Promise<Pick<Probe, "weak" | "unenforced">> {
  const folder = await mkdtemp(join(tmpdir(), "ferry-probe-"));
  try {
    return await lookAround(create, check, join(folder, "sandboxes"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function lookAround(
  create: (spec: SandboxSpec) => Promise<Sandbox>,
  { script, args, remedyFor }: Check,
  root: string,
): Promise<Pick<Probe, "weak" | "unenforced">> {
  // Several services may probe at once: the id, by which control groups are named too, is the temporary folder's.
  const sandbox = await create({ id: basename(dirname(root)), root, mounts: [], sockets: [], env: {}, limits });
  try {
    const { code, stdout, stderr } = await sandbox.exec(["sh", "-c", script, "check", ...args], { timeout: 20_000 });
    const complaint = lastLine(stderr);
    if (code !== 0) throw new FerryError("failure", complaint, { hint: await remedyFor(complaint) });
    const lines = Buffer.from(stdout)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    const holes = lines.filter((line) => !line.startsWith(weak) && !line.startsWith(unkept));
    if (holes.length > 0) throw new FerryError("failure", `the sandbox has a hole: ${holes.join(", ")}`);
    return { weak: after(weak, lines), unenforced: after(unkept, lines) as Limit[] };
  } finally {
    await sandbox.destroy();
  }
}

function after(start: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

function lastLine(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8").trim().split("\n").at(-1) ?? "";
}
