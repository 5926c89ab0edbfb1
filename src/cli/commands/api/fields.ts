import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { readNamedFile } from "../../flows/file.ts";
import { decoded } from "../../flows/text.ts";

export interface FieldOptions {
  /** `name=value`, the value a string as it is. */
  readonly field: readonly string[];
  /** `name=value`, the value true, false, null, a number, or `@file`. */
  readonly typedField: readonly string[];
}

/** The fields of a body. @throws FerryError usage for one without `=`, or a file that isn't there, or isn't UTF-8 */
export async function readFields(context: Context, { field, typedField }: FieldOptions): Promise<Record<string, unknown>> {
  const plain = field.map((text) => split(text));
  const typed = await Promise.all(
    typedField.map(async (text): Promise<[string, unknown]> => {
      const [name, value] = split(text);
      return [name, await typedValue(context, value)];
    }),
  );
  return Object.fromEntries<unknown>([...plain, ...typed]);
}

/** The path with the fields in its query, in place of those of the same name. */
export function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const [before = "", query] = path.split("?", 2);
  const given = new URLSearchParams(query);
  for (const [name, value] of Object.entries(fields)) given.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return given.size === 0 ? before : `${before}?${given.toString()}`;
}

function split(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new FerryError("usage", `"${text}" is no field`, { hint: "write it as name=value" });
  return [text.slice(0, at), text.slice(at + 1)];
}

async function typedValue(context: Context, value: string): Promise<unknown> {
  if (value.startsWith("@")) return decoded(await readNamedFile(context, value.slice(1)), oneLine(value.slice(1)));
  return /^(true|false|null|-?\d+(\.\d+)?)$/u.test(value) ? (JSON.parse(value) as unknown) : value;
}
