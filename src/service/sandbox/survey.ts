import { FerryError } from "../../base/errors.ts";
import type { SandboxHost } from "./host.ts";
import { chooseDriver, faultsOf, makeDrivers, sandboxNamed } from "./registry.ts";

/** The sandbox that a service started here and now would have, for people. */
export interface SandboxReport {
  /** Its name and version; undefined where none works. */
  readonly works: string | undefined;
  /** What it isn't, and why those before it don't work. */
  readonly faults: readonly string[];
  readonly passed: readonly string[];
}

/** @throws FerryError usage where the environment names one that there isn't, or that it may not name */
export async function surveySandbox(host: SandboxHost): Promise<SandboxReport> {
  try {
    const { driver, probe, passed } = await chooseDriver(sandboxNamed(host), makeDrivers(host));
    const works = probe.reason.startsWith(driver.name) ? probe.reason : `${driver.name}: ${probe.reason}`;
    return { works, faults: faultsOf(probe), passed };
  } catch (error) {
    if (!(error instanceof FerryError) || error.kind !== "failure") throw error;
    return { works: undefined, faults: [], passed: error.details };
  }
}
