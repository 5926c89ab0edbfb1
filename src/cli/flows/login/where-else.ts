import { hostName } from "../../../auth/address.ts";
import { asFerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { chooseHost, type ChosenHost, chosenName, hasKeySet } from "../host/choose.ts";

/**
 * Who logs in, or switches to a login, expects commands to go there; what goes before a login is told. Nothing of that is a reason to
 * fail now.
 */
export async function tellWhereElse(context: Context, url: string): Promise<void> {
  if (await hasKeySet(context, url)) await context.print.warn("FERRY_API_KEY is set and wins over it where a host is named");
  const otherwise = `: --host ${hostName(url)} names this login`;
  try {
    const chosen = await chooseHere(context);
    if (chosen.kind === "remote" && chosen.url === url) return;
    const why = chosen.named ? "FERRY_HOST names it" : (chosen.why ?? "it was logged in to last");
    await context.print.note(`commands here go to ${chosenName(chosen)} all the same, since ${why}${otherwise}`);
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    await context.print.note(`commands here don't go there yet, since ${asFerryError(error).message}${otherwise}`);
  }
}

/** Where commands here go that name no host. @throws FerryError as chooseHost */
export async function chooseHere(context: Context): Promise<ChosenHost> {
  const { host: _, ...global } = context.global;
  return chooseHost({ ...context, global });
}
