import { FerryError, type ErrorKind } from "../../base/errors.ts";
import { cut, oneLine } from "../../base/text.ts";
import { exactWord } from "../../base/words.ts";
import type { Clock, SendResponse } from "../../host/host.ts";
import { isHtml, readBody } from "./body.ts";
import { parseShallow } from "./json.ts";
import { type ApiKey, withoutSecrets } from "./key.ts";
import { longestRetryAfter, retryAfter } from "./retry.ts";

/** What of an error's body is looked at, in bytes, and how long it is awaited, in ms: its status tells the most of it. */
const bounds = { limit: 256 * 1024, within: 10_000 };

/** Whom a call goes to and by which key, for an error that names them. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  /** Where the service is, its path included: another one may be at the same host. */
  readonly baseUrl: string;
  /** What it is called; the host of its address where it isn't given. */
  readonly service?: string | undefined;
  readonly key: ApiKey;
  readonly clock: Clock;
}

/**
 * An answer of status 400 or more as an error; takes its body. Both shapes of the seed, the usual ones of others and plain text are
 * understood; of anything else the status speaks. The message is one line, harmless, and never holds the key.
 */
export async function problem(response: SendResponse, asked: Asked): Promise<FerryError> {
  const { status, headers } = response;
  const body = await readBody(response, asked.clock, bounds).catch(() => new Uint8Array());
  const { message, code } = read(new TextDecoder().decode(body), headers["content-type"] ?? "");
  const { pathname, host } = new URL(asked.url);
  const service = asked.service ?? host;
  const clean = (text: string): string => withoutSecrets(text, [asked.key.value]);
  const said = cut(oneLine(clean(message)), 500);
  const line = said === "" ? `${service} answered ${asked.method} ${pathname} with ${status}${nameOf(status)}` : said;
  const again = retryAfter(headers["retry-after"], asked.clock.now());
  const hint =
    again === undefined
      ? status === 403
        ? hintForForbidden({ message: said, code }, asked)
        : hintFor(status, asked)
      : `try again ${again === 0 ? "now" : again < longestRetryAfter ? `in ${Math.ceil(again / 1000)} s` : "in a day"}`;
  return new FerryError(kindOf(status), line, {
    status,
    asked: said === "" ? undefined : `${asked.method} ${clean(pathname)}: ${status}`,
    code: code === undefined ? undefined : clean(code),
    hint,
    retryAfter: again,
  });
}

/** What an answer's status is to whoever asked. */
export function kindOf(status: number): ErrorKind {
  if (status === 400 || status === 422) return "usage";
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)) return "unavailable";
  return "failure";
}

/** What says no more than the status does, where a scope is the likeliest that is missing. */
const saysNothing = /^(?:forbidden|(?:access|permission) denied|not allowed|no)?[.!]?$/iu;

/** A key may be refused for want of a scope, and for much that no scope helps against: only where it is the scope, that is told. */
function hintForForbidden({ message, code = "" }: Said, asked: Asked): string | undefined {
  // It is of the scopes that were asked for, and names those that are there.
  if (message.startsWith("scopes: ")) return undefined;
  const way = scopeHint(message, asked);
  if (way !== undefined) return way;
  if (/scope/iu.test(`${code} ${message}`)) return `the key of ${asked.key.source} lacks a scope that this needs`;
  return saysNothing.test(message) ? `the key of ${asked.key.source} may lack a scope that this needs` : undefined;
}

/** Where the answer names a scope that is enough, the way to a key that has it, at this service and no other. */
function scopeHint(said: string, { baseUrl, key: { source } }: Asked): string | undefined {
  const [first, ...others] = said.match(/\b[a-z][a-z-]*:(?:read|write|all)\b/gu) ?? [];
  if (first === undefined) return undefined;
  // A login would change nothing: a key of the environment goes before it. What is made for a job should do no more than it needs.
  if (source === "FERRY_API_KEY") return `put a key that has ${first} into ${source}: the portal makes one`;
  const scope = [first, ...others].find((one) => one.endsWith(":all")) ?? first;
  const more = scope === "all:all" ? "" : ", with what else you use behind a comma";
  return `a key that has it: ferry login --host ${exactWord(baseUrl) ?? "HOST"} --scopes ${scope}${more}`;
}

function hintFor(status: number, { baseUrl, service, key: { source, remedy = "check it" } }: Asked): string | undefined {
  const refused = `${service ?? baseUrl.replace(/^https?:\/\//u, "")} refused the key of ${source}`;
  if (status === 401) return `${refused}: ${source === "FERRY_API_KEY" ? "correct it, or unset it" : remedy}`;
  if (status === 421) return "call it by its own address; a port that is forwarded needs the same number at both ends";
  if (status === 429) return "too many requests: try again in a minute";
  if (status === 501) return "this service doesn't have it";
  return status >= 500 ? "the service has a problem: try again later" : undefined;
}

const names: Readonly<Record<number, string>> = {
  400: "bad request",
  401: "not signed in",
  403: "not allowed",
  404: "not found",
  405: "method not allowed",
  409: "conflict",
  410: "gone",
  413: "too large",
  415: "unsupported media type",
  421: "sent to the wrong host",
  422: "invalid",
  429: "too many requests",
  500: "internal error",
  501: "not implemented",
  502: "bad gateway",
  503: "unavailable",
  504: "gateway timeout",
};

function nameOf(status: number): string {
  const name = names[status];
  return name === undefined ? "" : ` (${name})`;
}

interface Said {
  readonly message: string;
  readonly code?: string | undefined;
}

function read(body: string, type: string): Said {
  if (isHtml(type) || body.trimStart().startsWith("<")) return { message: "" };
  try {
    return said(parseShallow(body));
  } catch (error) {
    return { message: error instanceof FerryError ? "" : body };
  }
}

/** `message` is the seed's structured shape, `error` its simple one; RFC 9457 has `detail` and `title`; GraphQL and others `errors`. */
function said(value: unknown): Said {
  if (typeof value === "string") return { message: value };
  if (Array.isArray(value)) return said(value[0]);
  if (typeof value !== "object" || value === null) return { message: "" };
  const fields = value as Readonly<Record<string, unknown>>;
  const code = typeof fields["code"] === "string" ? fields["code"] : undefined;
  for (const name of ["message", "error", "detail", "title", "errors"]) {
    const inner = said(fields[name]);
    if (inner.message !== "") return { message: inner.message, code: code ?? inner.code };
  }
  return { message: "", code };
}
