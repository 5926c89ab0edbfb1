import { InvalidArgumentError } from "commander";
import { FerryError } from "../../../base/errors.ts";
import { textOf } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { faultOf } from "../../../client/http/key.ts";
import { fields } from "../../../wire/fields.ts";
import { type Scope, scopes as known } from "../../../wire/values.ts";
import { duration, list } from "../../options.ts";
import type { Verb } from "../../verb.ts";
import { connectForKeys } from "./connect.ts";

interface Options {
  readonly scopes: readonly string[];
  /** In ms. */
  readonly expires?: number;
}

export const create: Verb = {
  name: "create",
  summary: "Make an API key; it is printed this once",
  description:
    "Make an API key, for a script or a CI job. The key is printed on stdout this once and kept nowhere: pipe it to where it belongs. It never has more scopes than your own.",
  examples: [
    "ferry key create nightly --scopes sessions:all --expires 90d | gh secret set FERRY_API_KEY",
    "ferry key create nightly --scopes sessions:read --json --show-secrets",
  ],
  define(command) {
    command
      .argument("<name>", "what to call it")
      .requiredOption("--scopes <list>", "what it may do, e.g. sessions:read,repositories:all", list)
      .option("--expires <duration>", "how long it works, e.g. 90d (default: until it is revoked)", lifetime);
  },
  async run(context, { scopes, expires }: Options, name: string) {
    // Cut from the JSON, the key would be gone for good.
    if (context.global.json && !context.global.showSecrets)
      throw new FerryError("usage", "with --json the new key would be cut and lost", { hint: "add --show-secrets" });
    const body = {
      name,
      scopes: scopes.map(checked),
      ...(expires !== undefined && { expires_at: after(context.host.clock.now() + expires) }),
    };
    const { client } = await connectForKeys(context);
    const { secret, ...key } = await client.createKey({ body });
    if (typeof secret !== "string")
      throw new FerryError("unavailable", "the service made a key and did not tell it", {
        hint: `ferry key revoke ${shellWord(textOf(key.id))}`,
      });
    const fault = faultOf(secret);
    if (fault !== undefined)
      throw new FerryError("unavailable", `the service made a key that can be none: it ${fault}`, {
        hint: `ferry key revoke ${shellWord(textOf(key.id))}`,
      });
    if (context.global.json) await context.print.json({ ...key, secret }, [...fields.apiKey, "secret"]);
    else await context.print.data(`${secret}\n`);
    await context.print.note(`the key ${name} (${key.id}) is shown this once`);
  },
};

function lifetime(text: string): number {
  const time = duration(text);
  if (time === 0) throw new InvalidArgumentError("A key that never works is none.");
  return time;
}

function checked(scope: string): Scope {
  const found = known.find((one) => one === scope);
  if (found !== undefined) return found;
  throw new FerryError("usage", `there is no scope "${scope}"`, { hint: `one of: ${known.join(", ")}` });
}

function after(time: number): string {
  return new Date(time).toISOString();
}
