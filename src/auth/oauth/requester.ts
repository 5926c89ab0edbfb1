import type { Host } from "../../host/host.ts";
import { requesterParameters } from "../../wire/login.ts";

/** Who asks, for the page where a person decides. */
export function requesterOf({
  hostname,
  system,
  version,
}: Pick<Host, "hostname" | "system" | "version">): Record<string, string> {
  return {
    [requesterParameters.device]: hostname,
    [requesterParameters.system]: system,
    [requesterParameters.version]: version,
  };
}
