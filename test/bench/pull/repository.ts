import { rmSync } from "node:fs";
import { gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";

/** How many commits the series has, and how many files the repository. */
export interface Size {
  readonly commits: number;
  readonly files: number;
}

export interface Series {
  /** `main` with the files, `series` with the commits. */
  readonly repository: TestGit;
  readonly base: string;
  readonly tip: string;
}

/** So many files are edited again and again in a large repository: an agent works in a part of it. */
const hotFiles = 200;
const largeRepository = 20_000;

/** Each commit edits one line in one to three files, which have 20 to 120 lines. The same each time. */
export function makeSeries(place: string, { commits, files }: Size): Series {
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
  const input = [`commit refs/heads/main\nmark :1\ncommitter ${who}\ndata 4\nbase\n`, ...texts.map((_, at) => file(at)), "\n"];
  const edited = files >= largeRepository ? hotFiles : files;
  for (let commit = 1; commit <= commits; commit += 1) {
    const message = `commit ${commit}\n`;
    input.push(`commit refs/heads/series\nmark :${commit + 1}\ncommitter ${who}\n`);
    input.push(`data ${message.length}\n${message}from :${commit}\n`);
    for (let edits = 1 + (random() % 3); edits > 0; edits -= 1) {
      const at = (random() % edited) * Math.floor(files / edited);
      const lines = texts[at] ?? [];
      lines[random() % lines.length] = `edit ${commit} ${random()}\n`;
      input.push(file(at));
    }
    input.push("\n");
  }
  gitBytes(repository.folder, ["fast-import", "--quiet"], { input: input.join("") });
  repository("symbolic-ref", "HEAD", "refs/heads/main");
  return { repository, base: repository("rev-parse", "main"), tip: repository("rev-parse", "series") };
}

/** Does something with a fresh clone of `main` whose index is up to date. */
export async function onCopy<T>(origin: TestGit, act: (copy: TestGit) => Promise<T>): Promise<T> {
  const folder = makeFolder("ferry-bench-copy-");
  try {
    const to = `${folder.path}/copy`;
    gitBytes(folder.path, ["clone", "--quiet", "--single-branch", "--branch", "main", origin.folder, to]);
    const copy = gitIn(to);
    copy("update-index", "-q", "--refresh");
    return await act(copy);
  } finally {
    rmSync(folder.path, { recursive: true, force: true });
  }
}

/** The same numbers each time (a linear congruential generator, Knuth's constants). */
function makeRandom(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % (1n << 64n);
    return Number(state >> 40n);
  };
}
