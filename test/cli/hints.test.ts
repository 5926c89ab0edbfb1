import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type CommandNode, named } from "../../src/cli/help/node.ts";
import { commandTree } from "../../src/cli/help/tree.ts";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** What git and a shell are told after it is no longer ferry's. */
const ends = /[;,()|`"'\\\n<]|&&| and git |: | - |\.(?:\s|$)|\$\{/u;

interface Told {
  readonly where: string;
  readonly words: readonly string[];
}

/** Every `ferry …` that stands in a text of the program; what is put in at run time is an argument, `X`. */
function commandsIn(where: string, text: string): Told[] {
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gmu, "");
  return [...code.matchAll(/(?<![\w./@-])ferry ((?:[a-z]|-[A-Z-]).*)/gu)].map(([, rest = ""]) => {
    const plain = rest.replace(/ ?\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/gu, " X");
    return { where, words: plain.slice(0, ends.exec(plain)?.index).trim().split(/\s+/u) };
  });
}

/** What is wrong with one; undefined where there is such a command with such options, or it is prose. */
function wrongIn(tree: CommandNode, { words }: Told): string | undefined {
  let node = tree;
  let isArgument = false;
  for (const [at, word] of words.entries()) {
    const next = isArgument ? undefined : named(node.commands, word);
    if (next !== undefined) node = next;
    else if (word.startsWith("-")) {
      const name = word.split("=")[0] ?? "";
      const known = [...node.options, ...tree.options].some(({ long, short }) => name === long || name === short);
      if (!known) return `${node.name} has no option ${name}`;
    } else if (node.commands.length > 0 && at > 0 && node !== tree && /^[a-z]+$/u.test(word)) {
      return `${node.name} has no command ${word}`;
    } else if (node === tree) return undefined;
    else isArgument = true;
  }
  return undefined;
}

test("each command that a hint, a message or a help text names is there, with the options that it is given", async () => {
  const tree = await commandTree();
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const told = files.flatMap((name) => commandsIn(name, readFileSync(join(source, name), "utf8")));
  expect(told.length).toBeGreaterThan(300);
  const wrong = told.flatMap((one) => {
    const reason = wrongIn(tree, one);
    return reason === undefined ? [] : [`${one.where}: ferry ${one.words.join(" ")}: ${reason}`];
  });
  expect(wrong).toEqual([]);
});
