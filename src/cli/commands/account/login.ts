import { Option } from "commander";
import { hostName, isLocal, parseAddress } from "../../../auth/address.ts";
import { knock } from "../../../auth/knock.ts";
import { findLoginServer } from "../../../auth/oauth/server.ts";
import { FerryError } from "../../../base/errors.ts";
import { exactWord } from "../../../base/words.ts";
import { presetScopes } from "../../../wire/login.ts";
import { checkConfig, readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { keyByBrowser } from "../../flows/login/by-browser.ts";
import { keyByDevice } from "../../flows/login/by-device.ts";
import { credentialsOf } from "../../flows/login/credentials.ts";
import { callerOf } from "../../flows/login/caller.ts";
import { checkSomebody, keyFromPrompt, keyFromStdin } from "../../flows/login/given-key.ts";
import { tellWhereElse } from "../../flows/login/where-else.ts";
import { keepKey, mintKey, type NewKey } from "../../flows/login/keep.ts";
import { withSettings } from "../../flows/settings.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { list } from "../../options.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly withToken: boolean;
  readonly device: boolean;
  readonly browser: boolean;
  readonly scopes?: readonly string[];
}

export const login: Verb = {
  name: "login",
  summary: "Log in to a service, in the browser or with an API key",
  answer: ["host", "account", "workspace", "scopes", "key_id", "store"],
  description:
    "Log in to a service. You approve it in your browser, which hands an API key of your own back to this machine; where the browser is on another one, paste what it ends with. --device shows a code to type on any other device. A service without such a login gives keys in its portal.",
  examples: [
    "ferry login --host https://agents.example.com",
    "ferry login --host https://agents.example.com --device",
    "ferry login --host https://agents.example.com --with-token < key.txt",
  ],
  define(command) {
    command
      .addOption(
        new Option("--with-token", "read the key from stdin; on a terminal, unseen")
          .default(false)
          .conflicts(["device", "browser", "scopes"]),
      )
      .option("--device", "approve it on another device, with a code", false)
      .option("--no-browser", "only print the address")
      .option("--scopes <list>", "what the key may do, e.g. sessions:read,repositories:all", list);
  },
  async run(context, options: Options) {
    const given = givenAddress(context);
    await checkConfig(context.host);
    const url = given ?? (await askForAddress(context));
    if (!options.withToken && !options.device) await checkSomebody(context, url);
    const settled = await withSettings(context);
    await keepKey(settled, { url, ...(await obtainKey(settled, url, options)) });
    if (!context.global.json) await tellWhereElse(context, url);
  },
};

function givenAddress({ global, host, interactive }: Context): string | undefined {
  const given = global.host ?? host.env["FERRY_HOST"] ?? "";
  if (isLocal(given)) throw new FerryError("usage", "the embedded service needs no login");
  if (given !== "") return parseAddress(given);
  if (!interactive) throw new FerryError("usage", "no host to log in to", { hint: "name it: --host https://agents.example.com" });
  return undefined;
}

async function askForAddress({ host }: Context): Promise<string> {
  // Whose key has ended most often logs in there again.
  const [known] = (await readConfig(host)).hosts;
  return parseAddress(await host.prompt.text("Address of the service:", known === undefined ? {} : { preset: known.url }));
}

async function obtainKey(context: Context, url: string, options: Options): Promise<Pick<NewKey, "key" | "minted">> {
  const caller = callerOf(context);
  if (options.withToken) {
    await checkPlace(context);
    await whileWaiting(context, hostName(url), () => knock(url, caller));
    return { key: await keyFromStdin(context, url) };
  }
  const server = await whileWaiting(context, hostName(url), () => findLoginServer(url, caller));
  if (server === undefined) {
    await whileWaiting(context, hostName(url), () => knock(url, caller));
    if (options.device && !context.interactive)
      throw new FerryError("failure", `${hostName(url)} has no login by device`, {
        hint: "make a key in its portal, and pipe it to ferry login --with-token",
      });
    await checkSomebody(context, url);
    await checkPlace(context);
    return { key: await keyFromPrompt(context, url) };
  }
  await checkPlace(context);
  const { device, browser, scopes = presetScopes } = options;
  const { value, note } = await mintKey(context, url, (redeeming) =>
    device ? keyByDevice(context, server, { scopes, redeeming }) : keyByBrowser(context, server, { scopes, browser, redeeming }),
  );
  const remedy = `tell whoever runs ${hostName(url)}, or pipe a key of its portal to ferry login --host ${exactWord(url) ?? "HOST"} --with-token`;
  return { key: { value, source: "this login", remedy }, minted: note };
}

/**
 * A key that nothing can keep is better not made, nor typed, nor sent anywhere: whoever has to unlock the keychain does it before the
 * browser opens.
 */
async function checkPlace(context: Context): Promise<void> {
  await whileWaiting(context, "the keychain, which may ask you to unlock it", () => credentialsOf(context).check());
}
