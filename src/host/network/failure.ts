import { FerryError, isCertificateError, NoAnswerError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";

/** What the system said before anything of the request went out. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

/** The failure of an exchange in words that name the host and the remedy. `sent` where it is known; else read from the error. */
export function noAnswer(error: unknown, name: string, sent = !(error instanceof NotSentError)): FerryError {
  const cause = error instanceof NotSentError ? error.cause : error;
  if (cause instanceof FerryError) return cause;
  const code = codeOf(cause);
  const { what, hint } = explain(code, cause);
  return new NoAnswerError(`${name}: ${what}`, { sent, code, hint, cause: bare(cause) });
}

/** What the error says and nothing that hangs on it: a parser's own has the bytes that it stumbled over, a key among them. */
function bare(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack } = error;
  const cause = bare(error instanceof AggregateError ? error.errors[0] : error.cause);
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { name, stack, code: codeOf(error) });
}

/** The system's word, also where it is wrapped (several addresses tried). */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? "UNKNOWN" : codeOf(error.cause);
}

interface Explanation {
  readonly what: string;
  readonly hint?: string;
}

const network = "check the address and the network";
const noTls: Explanation = { what: "no TLS is spoken there", hint: "check the address: http or https, and the port" };
const explanations: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: { what: "connection refused", hint: "is the service running there?" },
  ENOENT: { what: "there is no such socket", hint: "is the service running?" },
  EACCES: { what: "not allowed to connect" },
  ENOTFOUND: { what: "no such host", hint: network },
  EAI_AGAIN: { what: "the name can't be looked up now", hint: network },
  ENETUNREACH: { what: "the network can't be reached", hint: network },
  EHOSTUNREACH: { what: "the host can't be reached", hint: network },
  ETIMEDOUT: { what: "no connection in time", hint: network },
  // What only speaks TLS hangs up on who doesn't.
  ECONNRESET: {
    what: "the connection was cut",
    hint: "try again; if it stays so, check the address: http or https, and the port",
  },
  EPIPE: { what: "the connection was cut" },
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  Z_BUF_ERROR: { what: "the compressed answer was cut off" },
  Z_DATA_ERROR: { what: "the compressed answer is garbled" },
};

/** Node reads what OpenSSL's own programs read only when it is started so. */
const certificateHint =
  "if your organisation has a certificate authority of its own, set NODE_EXTRA_CA_CERTS to its PEM file (SSL_CERT_FILE isn't read)";

function explain(code: string, error: unknown): Explanation {
  const known = explanations[code];
  if (known !== undefined) return { ...known, what: `${known.what} (${code})` };
  // Brotli's and zstd's own words for it.
  if (/^(ERR__ERROR|ZSTD)_/.test(code)) return { what: `the compressed answer is garbled (${code})` };
  const message = error instanceof Error ? oneLine(error.message) : String(error);
  if (isCertificateError(code)) return { what: `its certificate is not trusted: ${message} (${code})`, hint: certificateHint };
  if (code.startsWith("HPE_")) return { what: `it doesn't speak HTTP: ${message} (${code})` };
  return { what: `${message} (${code})` };
}
