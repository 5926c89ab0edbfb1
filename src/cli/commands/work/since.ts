import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { parseDuration } from "../../../base/time.ts";

/** `--since` in epoch ms: `2026-01-31T12:00:00Z`, or how long ago (`10m`). @throws FerryError usage for what is neither */
export function sinceTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[\d.]+(ms|s|m|h|d)/u.test(text)) return now - parseDuration(text, "--since");
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new FerryError("usage", `--since: "${oneLine(text)}" is no time`, {
    hint: "write it as 2026-01-31T12:00:00Z, or as 10m for ten minutes ago",
  });
}
