import type { Command } from "commander";
import { FerryError } from "../base/errors.ts";

/** Flags that aren't called as the field of the request is that they stand for. */
const otherwise: Readonly<Record<string, string>> = {
  branch_name: "--branch",
  base_branch: "--base",
  repository_id: "--repo",
  code_provider_id: "--provider",
};

/**
 * A service that refuses a request names the field of it; who typed a command knows that by its flag, where it has one.
 * Whatever else it is, stays as it is.
 */
export function namingFlags(error: unknown, { options }: Command): unknown {
  if (!(error instanceof FerryError) || (error.status !== 400 && error.status !== 422)) return error;
  // What came behind a redirect says nothing of what was sent.
  if (error.doubt !== undefined) return error;
  const { kind, status, code, details } = error;
  let missing: string | undefined;
  const message = error.message.replace(/(^|; )([a-z]+(?:_[a-z]+)*)(?=: )/gu, (all, before: string, field: string) => {
    const flag = otherwise[field] ?? `--${field.replaceAll("_", "-")}`;
    if (!options.some(({ long }) => long === flag)) return all;
    if (code === "repository_required") missing = flag;
    return before + flag;
  });
  if (message === error.message) return error;
  const hint = error.hint ?? (missing === undefined ? undefined : `give ${missing}; ferry repo list shows which there are`);
  return new FerryError(kind, message, { status, code, details, hint, cause: error });
}
