import { FerryError } from "../../../base/errors.ts";

/** What a service may want to know of a repository that it can't be told without being asked for, and how it is. */
const remedies = {
  code_provider_id: "name the provider that reaches it: --provider ID (ferry provider create makes one)",
  external_id: "give its id on the platform: --external-id ID",
  default_branch: "name its default branch: --default-branch NAME",
} as const;

/** A refusal that names a field which wasn't sent: which of them is required the interface doesn't say (the seed's rule 5). */
export function namingRequired(error: unknown, body: Readonly<Partial<Record<keyof typeof remedies, unknown>>>): unknown {
  if (!(error instanceof FerryError) || (error.status !== 400 && error.status !== 422)) return error;
  if (error.hint !== undefined || error.doubt !== undefined) return error;
  const names = Object.keys(remedies) as (keyof typeof remedies)[];
  // `codeProviderId` is the same in other hands.
  const said = error.message.replace(/(?<=[a-z])[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const missing = names.filter((name) => body[name] === undefined && new RegExp(`(?<!\\w)${name}(?!\\w)`, "u").test(said));
  if (missing.length === 0) return error;
  const { kind, message, status, code, details } = error;
  return new FerryError(kind, message, {
    status,
    code,
    details,
    hint: missing.map((name) => remedies[name]).join("; "),
    cause: error,
  });
}
