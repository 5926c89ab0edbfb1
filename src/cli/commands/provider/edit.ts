import { FerryError } from "../../../base/errors.ts";
import { textOf } from "../../../base/text.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { findProvider } from "../../flows/provider.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { checkBaseUrl } from "./base-url.ts";
import { providerLines } from "./columns.ts";
import { readToken, type TokenOptions } from "./token.ts";

interface Options extends TokenOptions {
  readonly name?: string;
  readonly baseUrl?: string;
}

export const edit: Verb = {
  name: "edit",
  summary: "Change a code provider's name, address or token",
  answer: fields.provider,
  examples: ["ferry provider edit work --token-stdin < token.txt"],
  define(command) {
    command
      .argument("<provider>", "id or name")
      .option("--name <name>", "what to call it")
      .option("--base-url <url>", "the address of its API; needs the token again")
      .option("--token-stdin", "read a new access token from stdin", false)
      .option("--token-env <variable>", "read a new access token from this variable");
  },
  async run(context, { name, baseUrl, ...token }: Options, given: string) {
    // A token goes to the address that it was given for, so a new address asks for it again.
    const withToken = token.tokenStdin || token.tokenEnv !== undefined || baseUrl !== undefined;
    if (name === undefined && !withToken)
      throw new FerryError("usage", "nothing to change", { hint: "give --name, --base-url, --token-stdin or --token-env" });
    if (baseUrl !== undefined) checkBaseUrl(baseUrl);
    const connection = await connect(context);
    const provider = await findProvider(connection, given);
    const body = {
      ...(name === undefined ? {} : { name }),
      ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
      ...(withToken
        ? {
            metadata: {
              type: "gitlab_personal_access_token" as const,
              token: await readToken(context, token, baseUrl ?? textOf(provider.base_url)),
            },
          }
        : {}),
    };
    const changed = { ...provider, ...(await connection.client.updateProvider({ params: { providerId: provider.id }, body })) };
    await showChanged(context, changed, providerLines(changed, context.host), fields.provider);
  },
};
