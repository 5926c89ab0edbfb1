import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { faultOf } from "../../../client/http/key.ts";
import type { Context } from "../../context.ts";

export interface TokenOptions {
  readonly tokenStdin: boolean;
  readonly tokenEnv?: string;
}

/** `address` is whose token it is, for the question. From stdin or a variable, as asked; else a hidden prompt. Never from a flag: those are seen by everyone on the machine. */
export async function readToken({ host, interactive }: Context, options: TokenOptions, address: string): Promise<string> {
  if (options.tokenStdin && options.tokenEnv !== undefined)
    throw new FerryError("usage", "the access token comes by --token-stdin or by --token-env, not by both");
  if (options.tokenStdin) return asToken(await host.terminal.stdin.read(64 * 1024), "standard input");
  // Who gives the token itself there must not see it repeated.
  if (options.tokenEnv !== undefined) return asToken(host.env[options.tokenEnv] ?? "", "the variable that --token-env names");
  if (interactive) return asToken(await host.prompt.hidden(`Access token for ${oneLine(address)}:`), "the answer");
  throw new FerryError("usage", "the access token is missing", {
    hint: "pipe it in with --token-stdin, or name a variable: --token-env VAR",
  });
}

/** Blanks around it are no part of it. It goes out in headers and in the answers to git's questions, which are lines, as a key does. */
function asToken(given: string | Uint8Array, source: string): string {
  const token = (typeof given === "string" ? given : Buffer.from(given).toString("latin1")).trim();
  if (token === "") throw new FerryError("usage", `${source} holds no access token`);
  const fault = faultOf(token);
  if (fault === undefined) return token;
  throw new FerryError("usage", `the access token of ${source} ${fault}`, { hint: "copy it again, as one word" });
}
