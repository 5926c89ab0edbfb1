import { ResponseBodyError, type TokenEndpointResponse, WWWAuthenticateChallengeError } from "oauth4webapi";
import { FerryError, NoAnswerError } from "../../base/errors.ts";
import { bearerOf } from "./bearer.ts";
import { isRefusal } from "./failure.ts";

/**
 * What a call for a key has left at the service where it brought none: maybe one, or one that can't be used as it came. `as before`: this
 * call made none; `nothing`: nor did any before it.
 */
export type Leftover = "nothing" | "as before" | "maybe a key" | { readonly key: string };

/** Is awaited before each call that may make a key; what it gives takes what came of a call that failed. Until then there may be one. */
export type Redeeming = () => Promise<(left: Leftover) => void>;

/**
 * The key that a call to the token endpoint brings.
 * @throws what the call and the library throw: `redeeming` knows by then whether a key may be left
 */
export async function keyOfCall(
  redeeming: Redeeming,
  ask: () => Promise<Response>,
  read: (response: Response) => Promise<TokenEndpointResponse>,
): Promise<string> {
  const settle = await redeeming();
  let answer: Answered | undefined;
  try {
    const response = await ask();
    answer = { status: response.status, text: await response.clone().text() };
    const key = bearerOf(await read(response));
    settle("as before");
    return key;
  } catch (error) {
    settle(leftBy(error, answer));
    throw error;
  }
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

function leftBy(error: unknown, answer: Answered | undefined): Leftover {
  // Who hasn't approved it yet, or denied it, had no key made by an earlier question either.
  if (isRefusal(error, "authorization_pending", "slow_down", "access_denied")) return "nothing";
  // A refusal with an error's name or with a challenge (RFC 6749, 5.2).
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError)
    return error.status < 500 ? "as before" : "maybe a key";
  if (error instanceof NoAnswerError) return error.sent ? "maybe a key" : "as before";
  const status = answer?.status ?? (error instanceof FerryError ? error.status : undefined) ?? 0;
  // Whoever answers so, a proxy's page among them, says that nothing was done; but for 408, which may come after it (RFC 9110, 15.5.9).
  if (status >= 300 && status < 500 && status !== 408) return "as before";
  const { access_token: key, error: refusal } = membersOf(answer?.text ?? "");
  if (typeof key === "string" && key !== "") return { key };
  return typeof refusal === "string" && status < 500 ? "as before" : "maybe a key";
}

function membersOf(text: string): { readonly access_token?: unknown; readonly error?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
