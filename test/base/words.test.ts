import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { typedId } from "../../src/base/ids.ts";
import { oneLine } from "../../src/base/text.ts";
import { exactWord, shellWord, splitWords } from "../../src/base/words.ts";
import { describeWith } from "../support/programs.ts";

test("what is plain stays as it is, all else is one quoted word", () => {
  expect(["main", "fix/it-2", "ses_1", "https://agents.example.com:8443/x", "--park"].map(shellWord)).toEqual([
    "main",
    "fix/it-2",
    "ses_1",
    "https://agents.example.com:8443/x",
    "--park",
  ]);
  expect(["a b", "don't", "x;{touch,y}", "$(id)", "it's `id`", "", "~", "@x", "a\nb"].map(shellWord)).toEqual([
    '"a b"',
    `"don't"`,
    '"x;{touch,y}"',
    "'$(id)'",
    "'it…s `id`'",
    '""',
    '"~"',
    '"@x"',
    '"a b"',
  ]);
});

test("a % stays where cmd takes it for no variable's, and an address that can be no word is none", () => {
  expect(["http://x/a%20b", "a%20b%41c%", "100%", "$5%20"].map(exactWord)).toEqual([
    '"http://x/a%20b"',
    '"a%20b%41c%"',
    '"100%"',
    "'$5%20'",
  ]);
  const none = ["http://x/%CD%", "%20%CD%", "a%%b", "it's $5", "a\tb"];
  expect(none.map(exactWord)).toEqual(none.map(() => undefined));
  expect(["http://x/%CD%", "a%%b"].map(shellWord)).toEqual(["'http://x/…CD%'", "'a…%b'"]);
});

test("an id for a command is one word of it, whoever made it", () => {
  expect(typedId("ses_0123456789abcdef")).toBe("ses_01234567");
  expect(typedId("ses;{touch,x}")).toBe('"ses;{touch,x}"');
});

/** Of the characters that some shell reads more into, many. */
const hostile = fc.string({
  unit: fc.constantFrom(...Array.from("aZ09 ;&|<>(){}[]$`'\"\\!*?~#^%=@,-+\n\t\u00e9\u2018\u2019\u201c\u201d")),
  maxLength: 12,
});

describeWith(["bash", "dash", "zsh", "fish"], "in a real shell", () => {
  test.each(["bash", "dash", "zsh", "fish"])("%s reads each as the one word that it is", (shell) => {
    const texts = fc.sample(hostile, 2000);
    const words = texts.map(shellWord);
    const { stdout, stderr } = spawnSync(shell, ["-c", `printf '%s\\n' ${words.join(" ")}`], { encoding: "utf8" });
    expect(stderr).toBe("");
    const meant = texts.map((text, at) => ((words[at] ?? "").includes("…") ? (words[at] ?? "").slice(1, -1) : oneLine(text)));
    expect(stdout.split("\n").slice(0, -1)).toEqual(meant);
  });
});

test("and so does what takes a command line apart here", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(splitWords(`x ${shellWord(text)} y`)).toHaveLength(3);
    }),
  );
});
