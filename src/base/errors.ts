/** What went wrong, in the words that scripts and people act on. */
export type ErrorKind =
  "failure" | "usage" | "attention" | "auth" | "not_found" | "unavailable" | "pending" | "interrupted" | "terminated";

/** The one table from kinds to exit codes; nothing else in the program decides one. */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  failure: 1,
  usage: 2,
  attention: 3,
  auth: 4,
  not_found: 5,
  unavailable: 6,
  pending: 8,
  interrupted: 130,
  terminated: 143,
};

export interface ErrorDetails {
  /** What the reader can do next, as a sentence or a command. */
  readonly hint?: string | undefined;
  /** The HTTP status, where a service said no. */
  readonly status?: number | undefined;
  /** What was asked of a service that said no in its own words, which need not name that: `GET /api/v1/sessions: 400`. */
  readonly asked?: string | undefined;
  /** The service's own stable word for it. */
  readonly code?: string | undefined;
  /** When the service wants to be asked again, in ms from now. */
  readonly retryAfter?: number | undefined;
  /** What of a write isn't known, though it went wrong: that it was done, perhaps. Whoever knows better words for it leaves this out. */
  readonly doubt?: string | undefined;
  readonly cause?: unknown;
  /** More lines for a person (paths, candidates), already in order; of rows, the cells with tabs between them. */
  readonly details?: readonly string[] | undefined;
}

/** An error that is meant to be read by the user: one line, and where there is one, what to do. */
export class FerryError extends Error {
  override readonly name = "FerryError";
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly asked: string | undefined;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  readonly doubt: string | undefined;
  readonly details: readonly string[];

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.hint = details.hint;
    this.status = details.status;
    this.asked = details.asked;
    this.code = details.code;
    this.retryAfter = details.retryAfter;
    this.doubt = details.doubt;
    this.details = details.details ?? [];
  }
}

/** What went wrong, in a line that says of a service's own words what they answer, and of a write whether it may have been done. */
export function lineOf({ message, asked, doubt }: FerryError): string {
  return [asked === undefined ? message : `${message} (${asked})`, ...(doubt === undefined ? [] : [doubt])].join("; ");
}

/** OpenSSL's words for a certificate that isn't believed, and Node's for one of another name. */
export function isCertificateError(code = ""): boolean {
  return /CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME/.test(code);
}

/** No answer came, or it was cut off. `sent`: whether the service may have received the request all the same. */
export class NoAnswerError extends FerryError {
  readonly sent: boolean;

  constructor(message: string, { sent, ...details }: ErrorDetails & { readonly sent: boolean }) {
    super("unavailable", message, details);
    this.sent = sent;
  }
}

/** The system doesn't let a file or folder of ferry's be made or written: no right to it, a full disk, a place that takes none. */
export class UnwritableError extends FerryError {
  constructor(path: string, cause: unknown) {
    super("failure", `can't write ${path}: ${systemReason(cause)}`, {
      hint: "ferry's own files can lie elsewhere: FERRY_CONFIG_DIR, FERRY_STATE_DIR and FERRY_DATA_DIR say where",
      cause,
    });
  }
}

/** What we print can't be written: a full disk, most of all. What was done before that is done. */
export class OutputError extends FerryError {
  constructor(cause: unknown) {
    super("failure", `can't write the output: ${systemReason(cause)}`, { cause });
  }
}

/**
 * Whoever reads what we print is gone (`| head`, a quit pager). Made where we write and nowhere else: an EPIPE of a service's socket, or
 * that word in a service's answer, is something else.
 */
export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}

/** What the system said, without its code, its call and the path, which Node writes around it. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z]+: (.+?)(?:,|$)/u.exec(message)?.[1] ?? message;
}

/** The error as a FerryError: ours as it is, anything else as a failure with its message. */
export function asFerryError(error: unknown): FerryError {
  if (error instanceof FerryError) return error;
  if (error instanceof Error) return new FerryError("failure", error.message || error.name, { cause: error });
  return new FerryError("failure", String(error));
}
