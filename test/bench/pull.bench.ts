import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gitBytes, gitEnv, gitIn, makeFolder, makeRepository, type TestGit } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeManifest, makeMbox } from "../support/series.ts";

/** Commits in the series, files in the repository, and how many times as long as plain `git am` a pull may take. */
const cases: readonly { commits: number; files: number; aim: number }[] = [{ commits: 1000, files: 5000, aim: 1 }];
const rounds = 3;
const folder = makeFolder("ferry-bench-");

try {
  for (const one of cases) await measure(one);
} finally {
  folder.remove();
}

async function measure({ commits, files, aim }: (typeof cases)[number]): Promise<void> {
  const place = `${folder.path}/${commits}-${files}`;
  const { repository, base } = makeSeries(place, commits, files);
  const sandbox = { folder: repository.folder, branch: "series", base };
  const manifest = makeManifest(sandbox, "");
  const mbox = makeMbox(sandbox, "", manifest.head_commit);
  const times: Record<"am" | "pull", number[]> = { am: [], pull: [] };
  // In turn, so that what else the machine does falls on both.
  for (let round = 0; round < rounds; round += 1) {
    times.am.push(await onCopy(place, repository, (copy) => plainAm(copy, mbox)));
    times.pull.push(
      await onCopy(place, repository, async (copy) => {
        const source = {
          manifest: () => Promise.resolve(manifest),
          mbox: () => chunks(mbox),
          bundle: () => chunks(Buffer.alloc(0)),
        };
        const { tip } = await pullInto(copy.folder, source);
        if (tip !== manifest.head_commit) throw new Error("another tip");
      }),
    );
  }
  const [am, pull] = [median(times.am), median(times.pull)];
  const ratio = `${(pull / am).toFixed(2)}×  (aim ${aim}×)`;
  console.log(`  ${commits} commits, ${files} files: git am ${am.toFixed(0)} ms, pull ${pull.toFixed(0)} ms, ${ratio}`);
}

/** `main` with the files, `series` with the commits: each edits one to three files. */
function makeSeries(place: string, commits: number, files: number): { repository: TestGit; base: string } {
  const repository = makeRepository(`${place}/origin`);
  const random = makeRandom(1);
  const texts = Array.from({ length: files }, (_, at) =>
    Array.from({ length: 20 + (random() % 100) }, (_, line) => `${at} ${line} ${random()}\n`),
  );
  const path = (at: number) => `d${at % 50}/e${at % 7}/f${at}.txt`;
  const who = "Ada <ada@example.com> 1764000000 +0000";
  const file = (at: number) => {
    const text = (texts[at] ?? []).join("");
    return `M 100644 inline ${path(at)}\ndata ${text.length}\n${text}\n`;
  };
  let input = `commit refs/heads/main\nmark :1\ncommitter ${who}\ndata 4\nbase\n${texts.map((_, at) => file(at)).join("")}\n`;
  for (let commit = 1; commit <= commits; commit += 1) {
    input +=
      `commit refs/heads/series\ncommitter ${who}\ndata 10\ncommit ${String(commit).padStart(3, "0").slice(-3)}\nfrom :${commit}\n`.replace(
        "committer",
        `mark :${commit + 1}\ncommitter`,
      );
    for (let edits = 1 + (random() % 3); edits > 0; edits -= 1) {
      const at = random() % files;
      const lines = texts[at] ?? [];
      lines[random() % lines.length] = `edit ${commit} ${random()}\n`;
      input += file(at);
    }
    input += "\n";
  }
  gitBytes(repository.folder, ["fast-import", "--quiet"], { input });
  gitBytes(repository.folder, ["reset", "--quiet", "--hard", "main"]);
  return { repository, base: repository("rev-parse", "main") };
}

/** Milliseconds of something done to a fresh copy, whose index is up to date. */
async function onCopy(place: string, origin: TestGit, act: (copy: TestGit) => Promise<void>): Promise<number> {
  const to = makeFolder("ferry-bench-copy-");
  try {
    gitBytes(place, ["clone", "--quiet", "--no-local", "--single-branch", "--branch", "main", origin.folder, `${to.path}/copy`]);
    const copy = gitIn(`${to.path}/copy`);
    copy("update-index", "-q", "--refresh");
    const started = performance.now();
    await act(copy);
    return performance.now() - started;
  } finally {
    to.remove();
  }
}

function plainAm(copy: TestGit, mbox: Buffer): Promise<void> {
  const file = `${copy.folder}/../mbox`;
  writeFileSync(file, mbox);
  const args = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "am",
    "-q",
    "-k",
    "--keep-cr",
    "--patch-format=mboxrd",
    file,
  ];
  const { status, stderr } = spawnSync("git", args, { cwd: copy.folder, env: gitEnv });
  return status === 0 ? Promise.resolve() : Promise.reject(new Error(stderr.toString()));
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield await Promise.resolve(bytes.subarray(at, at + 65_536));
}

/** The same numbers each time (a linear congruential generator, Knuth's constants). */
function makeRandom(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % (1n << 64n);
    return Number(state >> 40n);
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
