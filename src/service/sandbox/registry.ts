import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { either } from "../../base/words.ts";
import type { Probe, SandboxDriver, SandboxDriverName } from "./driver.ts";
import { bwrap } from "./drivers/bwrap.ts";
import { oci } from "./drivers/oci.ts";
import { process } from "./drivers/process.ts";
import { unshare } from "./drivers/unshare.ts";
import type { SandboxHost } from "./host.ts";

/** Every driver there is, in the order in which they are tried. */
export function makeDrivers(host: SandboxHost): readonly SandboxDriver[] {
  return [bwrap(host), unshare(host), oci(host), process(host)];
}

export interface Chosen {
  readonly driver: SandboxDriver;
  readonly probe: Probe;
  /** Those that were tried before and don't work, with the reason of each. */
  readonly passed: readonly string[];
}

/**
 * The driver that was asked for, or for `auto` the first that locks in and works here.
 * @throws FerryError failure where none works, with each one's reason; usage for a name that no driver has
 */
export async function chooseDriver(requested: "auto" | SandboxDriverName, drivers: readonly SandboxDriver[]): Promise<Chosen> {
  // Running on the host is never a fallback: somebody must have said so.
  const candidates = drivers.filter(({ name }) => (requested === "auto" ? name !== "process" : name === requested));
  if (candidates.length === 0)
    throw new FerryError("usage", `there is no sandbox "${requested}"`, { hint: `one of: ${names(drivers)}` });
  const reasons: string[] = [];
  for (const driver of candidates) {
    const probe = await driver.probe();
    if (probe.works) return { driver, probe, passed: reasons };
    reasons.push(`${driver.name}: ${probe.reason}`);
  }
  throw new FerryError("failure", "no sandbox can be made on this machine", {
    hint: "on a machine that is thrown away, `--sandbox process` runs the agent without one",
    details: reasons,
  });
}

/** What the environment can name. That an agent is not locked in at all must be said each time, so `process` is none of them. */
const nameable = ["auto", "bwrap", "unshare", "oci"] as const;

/**
 * The one that the environment names, `auto` where it names none.
 * @throws FerryError usage for what it can't name
 */
export function sandboxNamed({ env }: Pick<SandboxHost, "env">): "auto" | SandboxDriverName {
  const given = env["FERRY_SANDBOX"] ?? "";
  const named = given === "" ? "auto" : nameable.find((name) => name === given);
  if (named === undefined)
    throw new FerryError("usage", `FERRY_SANDBOX can't be "${oneLine(given)}"`, {
      hint: `it is ${either(nameable)}${given === "process" ? "; for no sandbox at all: ferry service start --sandbox process" : ""}`,
    });
  return named;
}

/** What a sandbox that works isn't, a line each. */
export function faultsOf({ unenforced, weak }: Probe): string[] {
  return [...(unenforced.length > 0 ? [`no limit of ${unenforced.join(", ")} can be kept`] : []), ...weak];
}

function names(drivers: readonly SandboxDriver[]): string {
  return ["auto", ...drivers.map(({ name }) => name)].join(", ");
}
