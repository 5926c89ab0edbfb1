import { describe, expect, test } from "vitest";
import type { HostEntry } from "../../src/cli/config/config.ts";
import { loginsNamed, switchTo, wordFor } from "../../src/cli/flows/login/named.ts";
import { nameInMenu } from "../../src/cli/flows/login/same.ts";

const login = (host: string, account: string, workspace?: string, workspaceId?: string): HostEntry => ({
  url: `https://${host}`,
  account,
  store: "file",
  ...(workspace !== undefined && { workspace }),
  ...(workspaceId !== undefined && { workspaceId }),
});

describe("what tells a login from the others goes first, where a line may be cut", () => {
  const long = "Platform Engineering";
  test.each<[what: string, logins: readonly HostEntry[], names: readonly string[]]>([
    ["one", [login("a.example", "ada", "Main")], ["Main, ada, a.example"]],
    ["hosts", [login("a.example", "ada"), login("b.example", "ada")], ["a.example (ada)", "b.example (ada)"]],
    [
      "workspaces",
      [login("a.example", "ada", `${long} A`), login("a.example", "ada", `${long} B`)],
      [`${long} A (ada, a.example)`, `${long} B (ada, a.example)`],
    ],
    [
      "namesakes",
      [login("a.example", "ada", "Main", "1"), login("a.example", "ada", "Main", "2")],
      ["Main (1) (ada, a.example)", "Main (2) (ada, a.example)"],
    ],
    [
      "some of it",
      [login("a.example", "ada", "Main"), login("b.example", "ada", "Main"), login("b.example", "bob", "Ops")],
      ["a.example, Main, ada", "Main, ada, b.example", "Ops, bob, b.example"],
    ],
    ["all of it", [login("a.example", "ada", "Main"), login("b.example", "bob")], ["Main, ada, a.example", "bob, b.example"]],
  ])("%s", (_, logins, names) => {
    expect(logins.map((one) => nameInMenu(one, logins))).toEqual(names);
  });
});

describe("the command that switches to a login means that one alone", () => {
  const logins = [
    login("a.example", "ada", "Main", "1"),
    login("a.example", "ada", "Ops", "2"),
    login("b.example", "ada", "Main", "1"),
    login("c.example", "bob"),
    login("d.example", "eve", "it's", "it's"),
    login("d.example", "eve", "Main", "9"),
  ];
  test.each([
    [0, "ferry auth switch Main --host a.example"],
    [1, "ferry auth switch Ops"],
    [2, "ferry auth switch b.example"],
    [3, "ferry auth switch c.example"],
    [4, `ferry auth switch "it's"`],
    [5, "ferry auth switch 9"],
  ])("login %i: %s", (at, command) => {
    expect(switchTo(logins[at] as HostEntry, logins)).toBe(command);
  });

  test("a name that reads as an option is no word for it", () => {
    const odd = [login("a.example", "ada", "--help", "3"), login("a.example", "ada", "Main", "4")];
    expect(odd.map((one) => switchTo(one, odd))).toEqual(["ferry auth switch 3", "ferry auth switch Main"]);
  });

  test("a word that there is leads there", () => {
    for (const one of logins) {
      const word = wordFor(one, logins);
      if (word !== undefined) expect(loginsNamed(word, logins)).toEqual([one]);
    }
    expect(logins.map((one) => wordFor(one, logins))).toEqual([undefined, "Ops", "b.example", "c.example", "it's", "9"]);
  });
});
