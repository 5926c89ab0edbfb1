import { FerryError } from "../../../base/errors.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { providerLines } from "./find.ts";
import { readToken, type TokenOptions } from "./token.ts";

interface Options extends TokenOptions {
  readonly platform: string;
  readonly name?: string;
  readonly baseUrl: string;
}

export const create: Verb = {
  name: "create",
  aliases: ["new"],
  summary: "Connect a code provider with an access token",
  examples: [
    "ferry provider create --name work --token-env GITLAB_TOKEN",
    "ferry provider create --name work --token-stdin < token.txt",
  ],
  define(command) {
    command
      .option("--platform <platform>", "the kind of provider", "gitlab")
      .option("--name <name>", "what to call it (default: its address)")
      .option("--base-url <url>", "the address of its API", "https://gitlab.com")
      .option("--token-stdin", "read the access token from stdin", false)
      .option("--token-env <variable>", "read the access token from this variable");
  },
  async run(context, { platform, name, baseUrl, ...token }: Options) {
    if (platform !== "gitlab")
      throw new FerryError("usage", `--platform ${platform}: there is no such provider`, { hint: "gitlab" });
    const connection = await connect(context);
    const metadata = { type: "gitlab_personal_access_token" as const, token: await readToken(context, token) };
    const body = { platform: "gitlab" as const, name: name ?? baseUrl.replace(/^https?:\/\//u, ""), base_url: baseUrl, metadata };
    const provider = await connection.client.createProvider({ body });
    await showOne(context, provider, providerLines(provider, context.host), fields.provider);
  },
};
