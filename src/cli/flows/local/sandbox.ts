import type { Context } from "../../context.ts";
import { withSettings } from "../settings.ts";

/** The sandbox that the embedded service would have with this environment and config, by trying it out. */
export async function lookAtSandbox(context: Context) {
  const { surveySandbox } = await import("../../../service/sandbox/survey.ts");
  const { host } = await withSettings(context);
  return surveySandbox(host);
}
