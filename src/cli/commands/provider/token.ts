import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";

export interface TokenOptions {
  readonly tokenStdin: boolean;
  readonly tokenEnv?: string;
}

/** `address` is whose token it is, for the question. From stdin or a variable, as asked; else a hidden prompt. Never from a flag: those are seen by everyone on the machine. */
export async function readToken({ host, interactive }: Context, options: TokenOptions, address: string): Promise<string> {
  if (options.tokenStdin) return filled(new TextDecoder().decode(await host.terminal.stdin.read(64 * 1024)), "standard input");
  // Who gives the token itself there must not see it repeated.
  if (options.tokenEnv !== undefined) return filled(host.env[options.tokenEnv] ?? "", "the variable that --token-env names");
  if (interactive) return filled(await host.prompt.hidden(`Access token for ${oneLine(address)}:`), "the answer");
  throw new FerryError("usage", "the access token is missing", {
    hint: "pipe it in with --token-stdin, or name a variable: --token-env VAR",
  });
}

function filled(text: string, source: string): string {
  const token = text.trim();
  if (token === "") throw new FerryError("usage", `${source} holds no access token`);
  return token;
}
