import { AuthorizationResponseError, OperationProcessingError, ResponseBodyError, UnsupportedOperationError } from "oauth4webapi";
import { FerryError, NoAnswerError } from "../../base/errors.ts";
import { cut, oneLine } from "../../base/text.ts";

/** What went wrong in a login, in our words; `host` is who answered. Texts of the service are cut and made harmless. */
export function loginError(error: unknown, host: string): unknown {
  if (error instanceof ResponseBodyError) return refusal(error.error, error.error_description, host, error.status);
  if (error instanceof AuthorizationResponseError) return refusal(error.error, error.error_description, host);
  if (!(error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)) return error;
  const status = statusOf(error.cause);
  if (status !== undefined && status >= 400)
    return new FerryError(
      status >= 500 || status === 429 ? "unavailable" : "failure",
      `${host} answered the login with ${status}`,
      {
        status,
        hint: "try again later, or pipe a key to ferry login --with-token",
        cause: error,
      },
    );
  return new FerryError("failure", `${host} answered the login with something unexpected: ${oneLine(error.message)}`, {
    hint: "is a proxy or a sign-in page in the way? check the host's address",
    cause: error,
  });
}

/** Whether the service's word for it is this one. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) && codes.includes(error.error);
}

/** Whether the same call may go well a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  const status = error instanceof OperationProcessingError ? (statusOf(error.cause) ?? 0) : 0;
  return status === 429 || status >= 500;
}

function refusal(code: string, description: string | undefined, host: string, status?: number): FerryError {
  if (code === "access_denied") return new FerryError("auth", "the login was denied in the browser", { code });
  if (code === "expired_token") return new FerryError("auth", "the code has expired", { code, hint: "run ferry login again" });
  const said = cut(oneLine(description ?? code), 300);
  return new FerryError("auth", `${host} refused the login: ${said}`, {
    code: oneLine(code),
    status,
    hint: "run ferry login again",
  });
}

function statusOf(cause: unknown): number | undefined {
  return cause instanceof Response ? cause.status : undefined;
}
