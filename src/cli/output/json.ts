import { FerryError } from "../../base/errors.ts";

/** Fields that hold a secret wherever they are. */
const secretNames: ReadonlySet<string> = new Set(["token", "webhook_secret", "api_key", "secret"]);

/** The value with every secret replaced; all else as it came. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      typeof inner === "string" ? redacted(name, inner) : redact(inner),
    ]),
  );
}

function redacted(name: string, text: string): string {
  return secretNames.has(name) && text !== "" ? "<redacted>" : text;
}

/** The same for a field in a JSON text: both without their quotes, and with their escapes. */
export function redactedText(name: string, text: string): string {
  return redacted(name.includes("\\") ? String(JSON.parse(`"${name}"`)) : name, text);
}

/**
 * Only the named fields of an object, or of each in an array, in the order asked for; a field that is absent is null.
 * @throws FerryError usage for a name that is neither in the schema (`known`) nor in the data
 */
export function pick(value: unknown, names: readonly string[], known: readonly string[]): unknown {
  const rows = Array.isArray(value) ? (value as unknown[]) : [value];
  const there = new Set([...known, ...rows.flatMap((row) => (isObject(row) ? Object.keys(row) : []))]);
  const unknown = names.filter((name) => !there.has(name));
  if (unknown.length > 0 && there.size > 0)
    throw new FerryError("usage", `there is no field ${unknown.join(", ")}`, { hint: `the fields are ${[...there].join(", ")}` });
  const picked = rows.map((row) => Object.fromEntries(names.map((name) => [name, isObject(row) ? (row[name] ?? null) : null])));
  return Array.isArray(value) ? picked : picked[0];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
