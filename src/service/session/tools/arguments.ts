import { FerryError } from "../../../base/errors.ts";
import type { InputSchema } from "../../agent/tools/tool-box.ts";

/** What an agent gave a tool, checked against what the tool takes. */
export interface Arguments {
  /** "" where it isn't given. */
  text(name: string): string;
  /** None where it isn't given. */
  texts(name: string): readonly string[];
}

const longestText = 1000;
const mostTexts = 1000;

/** @throws FerryError usage for anything but what the schema has: untrusted, and about to become arguments of git */
export function checkArguments(args: unknown, { properties, required = [] }: InputSchema): Arguments {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw new FerryError("usage", "the arguments are no object");
  const given = new Map(Object.entries(args));
  for (const [name, value] of given) {
    const kind = Object.hasOwn(properties, name) ? (properties[name] as { type?: unknown }).type : undefined;
    if (kind === undefined) throw new FerryError("usage", "there is an argument that the tool doesn't take");
    if (kind === "array" ? !isTexts(value) : !isText(value))
      throw new FerryError("usage", `${name}: must be ${kind === "array" ? "a list of texts" : "a text"} of a sane length`);
  }
  for (const name of required) if (!given.has(name)) throw new FerryError("usage", `${name}: is required`);
  return {
    text: (name) => (given.get(name) as string | undefined) ?? "",
    texts: (name) => (given.get(name) as string[] | undefined) ?? [],
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= longestText && !value.includes("\0");
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= mostTexts && value.every(isText);
}
