import { whyNoBrowser } from "../../auth/browser/choice.ts";
import { asFerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";

/** Opens a page where there is a browser; either way its address is on the screen. `what` begins the line. */
export async function showPage(context: Context, what: string, url: string): Promise<void> {
  const { host, print, interactive } = context;
  const obstacle = interactive ? await whyNoBrowser(host) : "nobody is here";
  await print.warn(obstacle === undefined ? `${what} opens in your browser:` : `${what} (${obstacle}: no browser is opened):`);
  await print.address(url);
  if (obstacle === undefined) await openBrowser(context, url);
}

/** That no browser came is no end: the address is on the screen. */
export async function openBrowser({ host, print }: Context, url: string): Promise<void> {
  try {
    await host.browser.open(url);
  } catch (error) {
    await print.warn(`no browser could be opened (${asFerryError(error).message}): open the address yourself`);
  }
}
