import { Option } from "commander";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { checkBaseUrl } from "./base-url.ts";
import { providerLines } from "./columns.ts";
import { readToken, type TokenOptions } from "./token.ts";

/** The kinds that the interface has. */
const platforms = ["gitlab"] as const;

interface Options extends TokenOptions {
  readonly platform: (typeof platforms)[number];
  readonly name?: string;
  readonly baseUrl: string;
}

export const create: Verb = {
  name: "create",
  summary: "Connect a code provider with an access token",
  answer: fields.provider,
  examples: [
    "ferry provider create --name work --token-env GITLAB_TOKEN",
    "ferry provider create --name work --token-stdin < token.txt",
  ],
  define(command) {
    command
      .addOption(new Option("--platform <platform>", "the kind of provider").choices(platforms).default("gitlab"))
      .option("--name <name>", "what to call it (default: its address)")
      .option("--base-url <url>", "the address of its API", "https://gitlab.com")
      .option("--token-stdin", "read the access token from stdin", false)
      .option("--token-env <variable>", "read the access token from this variable");
  },
  async run(context, { platform, name, baseUrl, ...token }: Options) {
    checkBaseUrl(baseUrl);
    const connection = await connect(context);
    const metadata = { type: "gitlab_personal_access_token" as const, token: await readToken(context, token, baseUrl) };
    const body = { platform, name: name ?? baseUrl.replace(/^https?:\/\//u, ""), base_url: baseUrl, metadata };
    const provider = await connection.client.createProvider({ body });
    await showOne(context, provider, providerLines(provider, context.host), fields.provider);
  },
};
