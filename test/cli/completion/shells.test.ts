import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../support/programs.ts";

const completions = join(import.meta.dirname, "../../../completions");
const program = join(import.meta.dirname, "../../../bin/ferry.js");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-shells-"));
  // The real program completes; any other call is written down.
  const script = `#!/bin/sh\nif [ "$1" = complete ]; then exec "${process.execPath}" "${program}" "$@"; fi\necho "$*" >"${folder}/called"\n`;
  writeFileSync(join(folder, "ferry"), script);
  chmodSync(join(folder, "ferry"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inShell(shell: string, ...args: readonly string[]): string[] {
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, HOME: folder, TERM: "dumb" };
  return execFileSync(shell, args, { env, encoding: "utf8", cwd: folder }).split("\n").filter(Boolean);
}

describeWith(["bash"], "bash", () => {
  const complete = (call: string): string[] =>
    inShell("bash", "--norc", "-c", `source "${completions}/ferry.bash"; ${call}; printf '%s\\n' "\${COMPREPLY[@]}"`);

  test("completes ferry, and git ferry", () => {
    expect(complete("COMP_WORDS=(ferry session v); COMP_CWORD=2; _ferry")).toEqual(["view"]);
    expect(complete("COMP_WORDS=(ferry run --pull = e); COMP_CWORD=4; _ferry")).toEqual(["end", "each"]);
    expect(complete("COMP_WORDS=(ferry login --scopes sessions:read,sessions : w); COMP_CWORD=5; _ferry")).toEqual(["write"]);
    expect(complete("COMP_WORDS=(git ferry session v); COMP_CWORD=3; _git_ferry")).toEqual(["view"]);
  });
});

describeWith(["bash"], "bash, of what a service says", () => {
  /** What bash would put on the line, and the words that ferry was asked about. */
  function complete(words: string, ...candidates: readonly string[]): { line: string[]; asked: string[] } {
    const lines = candidates.map((candidate) => `${candidate}\ta title of $(touch ran)`).join("\n");
    writeFileSync(join(folder, "candidates"), lines);
    const fake = `ferry() { printf '%s\\n' "$@" >asked; cat candidates; }; shopt -s failglob`;
    const call = `words=(${words}); COMP_WORDS=("\${words[@]}"); COMP_CWORD=$((\${#words[@]}-1)); _ferry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const line = inShell("bash", "--norc", "-c", `${fake}; source "${completions}/ferry.bash"; ${call}`);
    return { line, asked: readFileSync(join(folder, "asked"), "utf8").split("\n").filter(Boolean).slice(2) };
  }

  test("a name is one word that runs nothing, and that matches no file", () => {
    const { line } = complete("ferry session view ''", "$(touch ran)", "with space", "it's;x", "[a-z]*");
    expect(line).toEqual(["\\$\\(touch\\ ran\\)", "with\\ space", "it\\'s\\;x", "\\[a-z\\]\\*"]);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test.each([
    ["ferry --host 127.0.0.1 : 80", ["127.0.0.1:8080"], ["--host", "127.0.0.1:80"], ["8080"]],
    ["ferry --host 127.0.0.1 :", ["127.0.0.1:8080"], ["--host", "127.0.0.1:"], ["8080"]],
    ["ferry session view a : ''", ["ses_1"], ["session", "view", "a:"], ["ses_1"]],
    ["ferry session list --fields id,ti", ["id,title"], ["session", "list", "--fields", "id,ti"], ["id,title"]],
  ])("colons: %s", (words, candidates, asked, line) => {
    expect(complete(words, ...candidates)).toEqual({ line, asked });
  });
});

describeWith(["fish"], "fish", () => {
  const complete = (line: string): string[] =>
    inShell("fish", "--no-config", "-c", `source "${completions}/ferry.fish"; complete -C "${line}"`);

  test("completes with descriptions, and files where files are meant", () => {
    expect(complete("ferry session v")).toEqual(["view\tShow a session"]);
    writeFileSync(join(folder, "task.md"), "");
    expect(complete("ferry run -F ta")).toEqual(["task.md"]);
    expect(complete("git-ferry session v")).toEqual(["view\tShow a session"]);
  });
});

describeWith(["zsh"], "zsh", () => {
  test.each(["ferry", "git ferry"])("completes what is typed at its prompt: %s", async (typed) => {
    rmSync(join(folder, "called"), { force: true });
    for (const [from, to] of [
      [join(completions, "_ferry"), "_git-ferry"],
      [join(folder, "ferry"), "git-ferry"],
    ] as const)
      copyFileSync(from, join(folder, to));
    const lines = [
      "zmodload zsh/zpty",
      "zpty z zsh -f -i",
      `zpty -w z 'fpath=("${completions}" "${folder}" $fpath); autoload -U compinit; compinit -u -D; bindkey "^I" complete-word; echo READ""Y'`,
      "zpty -r z out '*READY*'",
      `zpty -w z $'${typed} session v\\t -'`,
      "zpty -w z 'exit'",
      "while zpty -r z out; do :; done",
    ];
    inShell("zsh", "-f", "-c", lines.join("\n"));
    await expect.poll(() => existsSync(join(folder, "called"))).toBe(true);
    expect(readFileSync(join(folder, "called"), "utf8")).toBe("session view -\n");
  });
});
