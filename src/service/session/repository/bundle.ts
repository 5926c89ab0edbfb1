import { FerryError } from "../../../base/errors.ts";

/** What a git bundle says about itself before its pack begins (gitformat-bundle(5)). */
export interface BundleHeader {
  readonly objectFormat: string;
  /** Commits that the reader must have. */
  readonly prerequisites: readonly string[];
  readonly refs: readonly Ref[];
}

export interface Ref {
  /** In full. */
  readonly name: string;
  readonly commit: string;
}

/**
 * Cuts a bundle into its header and its pack.
 * @throws FerryError failure where it is none
 */
export function readBundle(bundle: Buffer): { header: BundleHeader; pack: Buffer } {
  // An empty line ends the header. None can come earlier: each line of it holds something.
  const end = bundle.indexOf("\n\n");
  if (end === -1) throw new FerryError("failure", "the sandbox gave no bundle");
  return { header: parseHeader(bundle.subarray(0, end).toString("utf8")), pack: bundle.subarray(end + 2) };
}

/** @throws FerryError failure naming what it doesn't know */
export function parseHeader(text: string): BundleHeader {
  const [signature, ...lines] = text.split("\n");
  if (signature !== "# v2 git bundle" && signature !== "# v3 git bundle")
    throw new FerryError("failure", "the sandbox gave no bundle");
  let objectFormat = "sha1";
  const prerequisites: string[] = [];
  const refs: Ref[] = [];
  for (const line of lines) {
    const [, capability] = /^@object-format=(sha1|sha256)$/u.exec(line) ?? [];
    const [, prerequisite] = /^-([0-9a-f]{40}(?:[0-9a-f]{24})?)(?: .*)?$/u.exec(line) ?? [];
    const [, commit, name] = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) (refs\/\S+)$/u.exec(line) ?? [];
    if (capability !== undefined) objectFormat = capability;
    else if (prerequisite !== undefined) prerequisites.push(prerequisite);
    else if (commit !== undefined && name !== undefined) refs.push({ name, commit });
    else throw new FerryError("failure", "the sandbox gave a bundle with a header that is not understood");
  }
  return { objectFormat, prerequisites, refs };
}

/** The header of a bundle of one branch, as git writes it: version 3 only where the object format must be told. */
export function formatHeader({ objectFormat, prerequisites, refs }: BundleHeader): string {
  const signature = objectFormat === "sha1" ? "# v2 git bundle\n" : `# v3 git bundle\n@object-format=${objectFormat}\n`;
  const needs = prerequisites.map((commit) => `-${commit}\n`).join("");
  return `${signature}${needs}${refs.map(({ name, commit }) => `${commit} ${name}\n`).join("")}\n`;
}
