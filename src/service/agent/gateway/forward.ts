import type { IncomingMessage, ServerResponse } from "node:http";
import { asFerryError, NoAnswerError } from "../../../base/errors.ts";
import type { Send, SendResponse } from "../../../host/host.ts";
import type { Access } from "./access.ts";
import { type BodyBounds, readBody, RefusedError } from "./body.ts";
import { UsageMeter } from "./usage.ts";

export interface Forwarding {
  readonly accesses: readonly Access[];
  readonly send: Send;
  /** Told after each call that got through. */
  readonly used: (meter: UsageMeter) => void;
  /** Told why a call did not get through: an agent may try again for minutes before it says a word. */
  readonly unreachable: (reason: string) => void;
  readonly bounds: BodyBounds;
}

/** Bytes of an answer at most. */
const longestAnswer = 256 * 1024 * 1024;
/** A model may think for long before its first word, in ms. */
const idleTimeout = 600_000;

/** What of an agent's headers goes to the provider. Anything else, and all that could be a credential, stays behind. */
const requestHeaders =
  /^(accept|content-type|user-agent|anthropic-(version|beta)|openai-beta|x-stainless-[\w-]+|x-goog-api-client)$/u;
const answerHeaders =
  /^(content-type|retry-after|retry-after-ms|request-id|x-request-id|x-should-retry|(anthropic|x)-ratelimit-[\w-]+)$/u;

/**
 * Answers one call of an agent: passes it on where it is one of the provider's model calls, with the real key in place of whatever
 * the agent sent, and streams the answer back. Never rejects.
 */
export async function forward(message: IncomingMessage, reply: ServerResponse, forwarding: Forwarding): Promise<void> {
  const left = new AbortController();
  reply.once("close", () => left.abort(new Error("the agent is gone")));
  try {
    const target = route(message, forwarding.accesses);
    if (target === undefined) {
      refuse(reply, 403, "ferry's gateway lets model calls through, and nothing else");
      return;
    }
    await pass(await call(message, target, forwarding, left.signal), reply, forwarding.used);
  } catch (error) {
    if (left.signal.aborted) return;
    if (error instanceof RefusedError) {
      forwarding.unreachable(error.message);
      refuse(reply, error.status, error.message);
      return;
    }
    if (reply.headersSent) {
      reply.destroy();
      return;
    }
    const reason = `the model's provider can't be reached: ${asFerryError(error).message}`;
    forwarding.unreachable(reason);
    refuse(reply, 502, reason);
  }
}

interface Target {
  readonly access: Access;
  readonly url: string;
}

/** `/<provider>/<path>?<query>` as the provider's own address; undefined for what is no model call of one that may be called. */
function route({ method, url = "" }: IncomingMessage, accesses: readonly Access[]): Target | undefined {
  // As it was sent: what a URL parser makes of dots, backslashes and percent signs must not decide what is allowed.
  const [, name, path = "", query = ""] = /^\/([a-z]+)(\/[^?#]*)(?:\?([^#]*))?$/u.exec(url) ?? [];
  const access = accesses.find(({ provider }) => provider.name === name);
  if (access === undefined || !access.provider.calls.some((call) => call.method === method && call.path.test(path)))
    return undefined;
  const fields = [...new URLSearchParams(query)].filter(([field]) => field !== "key" && !/token/iu.test(field));
  const kept = new URLSearchParams(fields).toString();
  return { access, url: `${access.address}${path}${kept === "" ? "" : `?${kept}`}` };
}

function authorization({ form, key }: Access): Record<string, string> {
  return key === "" ? {} : { [form.header]: `${form.scheme}${key}` };
}

function kept(headers: Readonly<Record<string, string | string[] | undefined>>, which: RegExp): Record<string, string> {
  const entries = Object.entries(headers).filter(([name, value]) => which.test(name) && typeof value === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Makes the call. Once there is an answer nothing here holds its body any more. */
async function call(
  message: IncomingMessage,
  { access, url }: Target,
  { send, bounds, used }: Forwarding,
  signal: AbortSignal,
): Promise<SendResponse> {
  const headers = { ...kept(message.headers, requestHeaders), ...authorization(access) };
  const body = message.method === "POST" ? await readBody(message, bounds) : undefined;
  try {
    return await send({ method: message.method ?? "GET", url, headers, body: body?.bytes, signal, idleTimeout });
  } catch (error) {
    // It may have reached the provider, who charges for it: rather one too many than any number that nobody sees.
    if (signal.aborted || (error instanceof NoAnswerError && error.sent)) used(new UsageMeter());
    throw error;
  } finally {
    body?.release();
  }
}

async function pass(response: SendResponse, reply: ServerResponse, used: Forwarding["used"]): Promise<void> {
  if (response.status >= 300 && response.status < 400) {
    await response.cancel();
    refuse(reply, 502, "the model's provider sends us elsewhere, which ferry's gateway doesn't follow");
    return;
  }
  const meter = new UsageMeter();
  reply.writeHead(response.status, kept(response.headers, answerHeaders));
  let size = 0;
  try {
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > longestAnswer) throw new Error("the answer is too large");
      meter.push(chunk);
      if (!reply.write(chunk)) await drained(reply);
    }
  } finally {
    // A call that the agent hung up on was made all the same.
    meter.end();
    used(meter);
  }
  reply.end();
}

/** Also where the reader went away: the write that follows then fails. */
function drained(reply: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      reply.off("drain", done).off("close", done);
      resolve();
    };
    reply.once("drain", done).once("close", done);
  });
}

/** In the one form that the SDKs of all three providers read a message from. */
function refuse(reply: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ type: "error", error: { type: "gateway_error", code: status, message } });
  // What is left of a body that was too large must not be taken for the next request.
  const later = status === 429 ? { "retry-after": "5" } : {};
  reply.writeHead(status, { "content-type": "application/json", connection: "close", ...later }).end(body);
}
