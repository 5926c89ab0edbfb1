import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { exitCodeRows, topics } from "../../src/cli/topics.ts";
import { isInstalled } from "../support/installed.ts";
import { asManPages } from "./reference/man.ts";
import { asMarkdown } from "./reference/markdown.ts";
import { type Chapter, programOptions, readProgram } from "./reference/model.ts";

// Stale? `npx vitest run -c test/vitest.config.ts test/tooling/reference.test.ts -u` writes them anew.
const docs = fileURLToPath(new URL("../../docs", import.meta.url));

let chapters: Chapter[];
beforeAll(async () => {
  chapters = await readProgram();
});

test("docs/cli.md is what the program says", async () => {
  await expect(asMarkdown(chapters)).toMatchFileSnapshot(join(docs, "cli.md"));
});

test("README's exit codes are the program's", () => {
  const readme = readFileSync(join(docs, "..", "README.md"), "utf8");
  const table = /^\| exit +\| when +\|\n\|[ |-]+\n((?:\|.*\n)+)/mu.exec(readme)?.[1] ?? "";
  const rows = table
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
  expect(rows).toEqual(exitCodeRows);
});

test("each man page is what the program says, and there is no other", async () => {
  const pages = asManPages(chapters, await programOptions());
  for (const [name, text] of pages) await expect(text).toMatchFileSnapshot(join(docs, "man", name));
  expect(readdirSync(join(docs, "man")).toSorted()).toEqual([...pages.keys()].toSorted());
});

test.runIf(isInstalled("groff"))(
  "no name in them is broken by a hyphen, and ferry(1) has the program's own options",
  async () => {
    const pages = [...asManPages(chapters, await programOptions())].filter(([name]) => name !== "git-ferry.1");
    const shown = pages.map(([name, input]): [string, string] => {
      const text = execFileSync("groff", ["-man", "-Tutf8", "-Kutf8"], { input, encoding: "utf8" });
      return [name, text.replaceAll(/\u001b\[\d+m|.\u0008/gu, "").replaceAll("\u2212", "-")];
    });
    expect(shown.filter(([, text]) => text.includes("\u2010\n")).map(([name]) => name)).toEqual([]);
    for (const flag of ["--version", "--help", "--host"]) expect(new Map(shown).get("ferry.1")).toContain(flag);
  },
);

test.runIf(isInstalled("groff"))("groff has nothing to say against them", () => {
  for (const name of readdirSync(join(docs, "man")).filter((page) => page !== "git-ferry.1")) {
    const { stderr, status } = spawnSync("groff", ["-man", "-Tutf8", "-Kutf8", "-ww", "-z", join(docs, "man", name)], {
      encoding: "utf8",
    });
    expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
  }
});

// npm reads `directories.man` no longer: only what `man` names is linked into share/man.
test("the package names each page, so that npm links it to where man looks", () => {
  const manifest = JSON.parse(readFileSync(join(docs, "../package.json"), "utf8")) as { man: string[]; files: string[] };
  expect(manifest.man).toEqual(
    readdirSync(join(docs, "man"))
      .toSorted()
      .map((page) => `./docs/man/${page}`),
  );
  expect(manifest.files).toContain("docs");
});

describe("the topic of the environment", () => {
  const told = topics.find(({ name }) => name === "environment")?.rows.flatMap(([names]) => names.split(", ")) ?? [];

  test("names each variable of ferry's own that the sources read", () => {
    const sources = execFileSync("grep", ["-rhoE", `env\\["FERRY_[A-Z_]+"\\]`, join(docs, "../src")], { encoding: "utf8" });
    const read = [...sources.matchAll(/FERRY_[A-Z_]+/gu)].map(([name]) => name);
    expect(read.length).toBeGreaterThan(5);
    expect([...new Set(read)].filter((name) => !told.includes(name))).toEqual([]);
  });
});
