import { FerryError } from "../../base/errors.ts";
import { storePack } from "./pack.ts";
import { ByteReader } from "../series/bytes.ts";
import { caps, lie, type Series, short } from "../series/series.ts";
import type { Engine, Workshop } from "./engine.ts";

/**
 * The sandbox's objects themselves, for what can't be mail: merges. The header is read here and the pack goes through
 * `index-pack --strict`; never `git fetch` of a bundle, which checks nothing before git 2.41.
 */
export const bundle: Engine = {
  name: "bundle",
  form: "bundle",
  suits: () => true,
  async build(series, workshop) {
    const { progress, checkpoint } = workshop;
    const bytes = new ByteReader(workshop.bytes());
    await readHeader(bytes, series);
    await takePack(bytes, workshop);
    progress("fetch", series.items.length);
    await checkpoint("spooled");
    await checkHistory(series, workshop);
    await checkSizes(series, workshop);
    progress("apply", series.items.length);
    await checkpoint("written");
  },
};

const lineLimit = 4096;
const headerLines = 64;

/** gitformat-bundle(5): a signature, capabilities (v3), prerequisites, references, an empty line. */
async function readHeader(bytes: ByteReader, series: Series): Promise<void> {
  const format = series.tip.length === 40 ? "sha1" : "sha256";
  const [signature, ...lines] = await headerOf(bytes);
  if (signature !== "# v2 git bundle" && signature !== "# v3 git bundle") throw lie("its bundle isn't one");
  const refs = lines.filter((line) => !line.startsWith("@") && !line.startsWith("-"));
  const capabilities = lines.filter((line) => line.startsWith("@") && line !== `@object-format=${format}`);
  if (capabilities.length > 0) throw lie("its bundle asks for what isn't known here");
  if (refs.length !== 1 || refs[0]?.split(" ")[0] !== series.tip) throw lie("its bundle is of another commit");
}

async function headerOf(bytes: ByteReader): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < headerLines) {
    const line = await bytes.line(lineLimit);
    if (line === undefined) break;
    if (line.length === 0) return lines;
    lines.push(line.toString("latin1"));
  }
  throw lie("its bundle isn't one");
}

/** A prerequisite that isn't here shows as a missing object. */
function takePack(bytes: ByteReader, { git, quarantine, signal }: Workshop): Promise<void> {
  const args = ["index-pack", "--stdin", "--strict", "--fix-thin", `--max-input-size=${caps.totalBytes}`];
  return storePack(git, args, { ...quarantine.options, signal, input: bytes.toEnd() });
}

/** The commits between base and tip are those of the manifest, no more and no less. */
async function checkHistory(series: Series, { git, quarantine }: Workshop): Promise<void> {
  const range = series.base === undefined ? [series.tip] : [series.tip, `^${series.base}`];
  const result = await git.run(["rev-list", ...range], quarantine.options);
  if (result.code !== 0) throw lie("its bundle lacks commits");
  const found = new Set(result.stdout.toString("latin1").trim().split("\n"));
  const missing = series.items.find((item) => !found.has(item.commit));
  if (missing !== undefined) throw lie("it isn't in the bundle's history", missing);
  const { base } = series;
  const follows =
    base === undefined || (await git.run(["merge-base", "--is-ancestor", base, series.tip], quarantine.options)).code === 0;
  if (!follows) throw lie(`its head doesn't follow ${short(base)}`);
  if (found.size !== series.items.length) throw lie(`its bundle has ${found.size} commits, not ${series.items.length}`);
}

/** git-rev-list(1): what the filter leaves out is printed behind a `~`. */
async function checkSizes({ base, tip }: Series, { git, quarantine }: Workshop): Promise<void> {
  const filter = [`--filter=blob:limit=${caps.fileBytes + 1}`, "--filter-print-omitted"];
  const range = base === undefined ? [tip] : [tip, `^${base}`];
  const listed = await git.ok(["rev-list", "--objects", "--no-object-names", ...filter, ...range], quarantine.options);
  const [large] = /^~.*$/mu.exec(listed.toString("latin1")) ?? [];
  if (large !== undefined)
    throw new FerryError("failure", `the series has a file of more than ${caps.fileBytes / 1024 ** 2} MiB`, {
      code: "policy",
      details: [`git's object ${large.slice(1)}`],
      hint: "nothing was changed; ask the agent to take it out of its history",
    });
}
