import { whyNoBrowser } from "../../../auth/browser/choice.ts";
import { loginByBrowser, type LoginStart } from "../../../auth/browser/login.ts";
import type { LoginServer } from "../../../auth/oauth/server.ts";
import type { Redeeming } from "../../../auth/oauth/token-call.ts";
import type { Context } from "../../context.ts";
import { openBrowser } from "../browser.ts";
import { callerOf } from "./caller.ts";
import { makePasting } from "./pasting.ts";

export interface BrowserChoice {
  readonly scopes: readonly string[];
  /** False after --no-browser. */
  readonly browser: boolean;
  readonly redeeming: Redeeming;
}

/** A key by way of the browser: its address is on the screen before anything is opened, and the answer can be pasted as well. */
export async function keyByBrowser(context: Context, server: LoginServer, choice: BrowserChoice): Promise<string> {
  const { host, print } = context;
  const { scopes, browser, redeeming } = choice;
  const obstacle = browser ? await whyNoBrowser(host) : "--no-browser";
  return loginByBrowser(host, server, callerOf(context), {
    scopes,
    async show(start) {
      await say(context, start, obstacle);
      if (obstacle === undefined) await openBrowser(context, (await isFar(host)) ? start.url : start.opening);
    },
    redeeming,
    ...makePasting(host.prompt, print, host.clock),
  });
}

async function say({ print }: Context, { url, code, pasteOnly }: LoginStart, obstacle: string | undefined): Promise<void> {
  const how = obstacle === undefined ? "This opens in your browser" : `Open this in a browser (${obstacle}: none is opened here)`;
  await print.warn(`${how}:`);
  await print.address(url);
  await print.warn(`The page must show the code ${code}.`);
  if (pasteOnly !== undefined)
    await print.warn(`The browser can't come back here by itself (${pasteOnly}): paste what it shows in the end.`);
}

/**
 * Whether the browser may not reach what listens here: Windows' own from WSL, or one elsewhere that BROWSER leads to. It gets the true
 * address then, from which it goes on also where no port is forwarded, or another one, and the code is pasted. All users of this machine
 * can read that one on the command line, and with it the login's state: so only on Linux, where what another user's program answers
 * with is refused. On others what is opened leads here, which editors from afar forward; the true address is on the screen.
 */
async function isFar(host: Context["host"]): Promise<boolean> {
  if (host.platform !== "linux") return false;
  if ((host.env["WSL_DISTRO_NAME"] ?? "") !== "") return true;
  return (await whyNoBrowser({ ...host, env: { ...host.env, BROWSER: undefined } })) !== undefined;
}
