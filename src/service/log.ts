import type { Clock } from "../host/host.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** What the service tells its operator: one JSON object a line. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}

export function makeLog(write: (line: string) => void, clock: Clock): Log {
  const line = (level: string, message: string, fields: LogFields): void =>
    write(`${cutSecrets(JSON.stringify({ time: new Date(clock.now()).toISOString(), level, message, ...fields }))}\n`);
  return {
    info: (message, fields = {}) => line("info", message, fields),
    error: (message, error, fields = {}) => line("error", message, { ...fields, error: describe(error) }),
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** API keys, GitLab's tokens, and passwords in URLs: whatever an error's text carries along. */
function cutSecrets(text: string): string {
  return text
    .replace(/\b(ferry_|glpat-|gl[a-z]{2,5}-)[\w.-]{8,}/gu, "$1<redacted>")
    .replace(/(:\/\/)[^/\s"@]+@/gu, "$1<redacted>@")
    .replace(/(bearer\s+|x-api-key:\s*)[^\s"\\]+/giu, "$1<redacted>");
}
