import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { type ChosenHost, chooseHost } from "../../flows/host/choose.ts";

/** The host that commands would talk to; undefined where the user has none yet. */
export async function chosenHost(context: Context): Promise<ChosenHost | undefined> {
  try {
    return await chooseHost(context);
  } catch (error) {
    if (error instanceof FerryError && error.kind === "auth") return undefined;
    throw error;
  }
}
