import { cut, oneLine } from "../../base/text.ts";
import type { Operation } from "../../wire/contract.ts";
import { Problem } from "../problem.ts";

type Schema = NonNullable<Operation["body"]>;
type Issue = NonNullable<ReturnType<Schema["safeParse"]>["error"]>["issues"][number];

/**
 * The value as the contract wants it, with its defaults in place.
 * @throws Problem 400 `invalid_request` that names each field and what is wrong with it
 */
export function validate(schema: Schema, value: unknown): Record<string, unknown> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new Problem(400, "invalid_request", error.issues.flatMap(describe).join("; "));
}

/**
 * A query as an object.
 * @throws Problem 400 where a parameter is given twice: which one is meant can't be known
 */
export function readQuery(query: URLSearchParams): Record<string, string> {
  for (const name of query.keys())
    if (query.getAll(name).length > 1) throw new Problem(400, "invalid_request", `${shown(name)}: is given more than once`);
  return Object.fromEntries(query);
}

function describe(issue: Issue): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${shown([...issue.path, key].join("."))}: is not a known field`);
  const field = issue.path.length === 0 ? "the body" : issue.path.join(".");
  return [`${shown(field)}: ${complaint(issue)}`];
}

function complaint(issue: Issue): string {
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return "is required";
  if (issue.code === "too_small") return tooSmall(issue);
  if (issue.code === "too_big")
    return issue.origin === "string" ? `is longer than ${issue.maximum} characters` : `is more than ${issue.maximum}`;
  // Of alternatives, the last is the one with a form to tell about.
  const alternative = issue.code === "invalid_union" ? issue.errors.at(-1)?.[0] : undefined;
  return alternative === undefined ? issue.message.replace(/^Invalid input: /u, "") : complaint(alternative);
}

/** Of texts and lists the contract asks no more than that there is something in them. */
function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: "too_small" }>): string {
  if (origin === "string" || origin === "array") return "must not be empty";
  return inclusive === false ? `must be more than ${minimum}` : `is less than ${minimum}`;
}

/** A name that the sender chose, fit for one line. */
function shown(name: string): string {
  return cut(oneLine(name), 80);
}
