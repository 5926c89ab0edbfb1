import { createHash } from "node:crypto";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Context } from "../context.ts";

/**
 * Pathspecs are git's to read (gitglossary(7)), from the top of the repository, in the quarantine, where no file lies that could
 * give a path an attribute.
 * @throws FerryError usage for one that git doesn't take
 */
export async function checkPathspecs(pathspecs: readonly string[] = [], { git, repository }: Context): Promise<void> {
  if (pathspecs.length === 0) return;
  const attribute = pathspecs.find((each) => /^:\([^)]*\battr:/u.test(each));
  if (attribute !== undefined) throw badPathspec(`"${attribute}" asks for an attribute, which paths don't have there`);
  const { gitDir, objectFormat } = repository;
  const nothing = createHash(objectFormat).update("tree 0\0").digest("hex");
  const result = await git.run(["diff-tree", nothing, nothing, "--", ...pathspecs], { cwd: gitDir, gitDir });
  if (result.code === 0) return;
  const said = /^fatal: (.*)$/mu.exec(result.stderr.toString("utf8"))?.[1] ?? "no pathspec";
  const [outside] = /^.*(?=: '.*' is outside repository)/u.exec(said) ?? [];
  throw badPathspec(outside === undefined ? said : `"${outside}" is outside of the repository`);
}

function badPathspec(why: string): FerryError {
  return new FerryError("usage", `--exclude: ${oneLine(why)}`, {
    hint: "paths are told from the top of the repository, as git's pathspecs: dist, '*.lock', ':(glob)src/*.js'",
  });
}
