import { FerryError } from "../../base/errors.ts";
import type { SandboxDriverName } from "./driver.ts";
import type { SandboxHost } from "./host.ts";
import { chooseDriver, faultsOf, makeDrivers } from "./registry.ts";

/** The sandbox that a service started here and now would have, for people. */
export interface SandboxReport {
  /** Its name and version; undefined where none works. */
  readonly works: string | undefined;
  /** What it isn't, and why those before it don't work. */
  readonly faults: readonly string[];
  readonly passed: readonly string[];
}

/** @throws FerryError usage for a name that no driver has */
export async function surveySandbox(requested: "auto" | SandboxDriverName, host: SandboxHost): Promise<SandboxReport> {
  try {
    const { driver, probe, passed } = await chooseDriver(requested, makeDrivers(host));
    const works = probe.reason.startsWith(driver.name) ? probe.reason : `${driver.name}: ${probe.reason}`;
    return { works, faults: faultsOf(probe), passed };
  } catch (error) {
    if (!(error instanceof FerryError) || error.kind !== "failure") throw error;
    return { works: undefined, faults: [], passed: error.details };
  }
}
