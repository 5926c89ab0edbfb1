import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";

/** The interrupt as what ends the command: in the error, so that who reads JSON has it, what came or goes on, and what to do now. */
export function interruption({ interrupt }: Pick<Host, "interrupt">, told: string, hint?: string): FerryError {
  const { kind, message, cause } = asFerryError(interrupt.reason);
  return new FerryError(kind, `${message}: ${told}`, { hint, cause });
}
