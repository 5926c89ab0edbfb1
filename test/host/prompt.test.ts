import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { describeWith } from "../support/programs.ts";
import { startOnTerminal } from "../support/pty.ts";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));
/** A service that knows nobody. */
const service = http.createServer((_, outgoing) => outgoing.writeHead(401).end()).listen(0, "127.0.0.1");
await once(service, "listening");
afterAll(() => service.close());
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

/** Every kind of question. */
const questions = [
  ["a text", ["login"], /Address of the service:/u],
  ["a secret", ["login", "--with-token", "--host", url], /API key for 127\.0\.0\.1:\d+:/u],
  ["a choice", ["auth", "switch"], /grace@example\.com/u],
  ["a search", ["auth", "switch"], /Which login\?/u],
  ["a yes or no", ["service", "reset"], /Delete all that the embedded service keeps/u],
] as const;

describeWith(["script"], "a question that is not answered", () => {
  let place: Binary;
  beforeAll(() => {
    place = makeBinary();
    mkdirSync(place.env["FERRY_DATA_DIR"] ?? "", { recursive: true });
  });
  afterAll(() => place.dispose());

  const knowLogins = (count: number): void => {
    const folder = place.env["FERRY_CONFIG_DIR"] ?? "";
    mkdirSync(folder, { recursive: true });
    const accounts = ["grace@example.com", ...Array.from({ length: count - 1 }, (_, at) => `ada${at}@example.com`)];
    const hosts = accounts.map((account) => ({ url, account, store: "file" }));
    writeFileSync(join(folder, "config.json"), JSON.stringify({ version: 1, hosts }));
  };

  describe.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s", (_, key) => {
    test.each(questions)("%s", async (kind, argv, asked) => {
      knowLogins(kind === "a search" ? 12 : 3);
      const terminal = startOnTerminal(place, [process.execPath, ferryPath, ...argv]);
      await terminal.see(asked);
      terminal.type(key);
      expect(await terminal.ended).toBe(130);
      expect(
        terminal
          .screen()
          .split(/\r?\n/u)
          .filter((line) => line.includes("ferry: ")),
      ).toEqual([expect.stringMatching(/ferry: cancelled$/u)]);
    });
  });

  test.each(questions)("is of ASCII alone where a terminal can't show more: %s", async (kind, argv, asked) => {
    knowLogins(kind === "a search" ? 12 : 3);
    const terminal = startOnTerminal(place, [process.execPath, ferryPath, ...argv], { LC_ALL: "C" });
    await terminal.see(asked);
    if (kind === "a choice" || kind === "a search") await terminal.see(/> .*\n.*grace|> .*grace/u);
    terminal.type("\u0003");
    await terminal.ended;
    expect(terminal.screen()).not.toMatch(/[^\0-\x7e]/u);
  });

  test("a secret is never shown, whatever is pressed", async () => {
    const terminal = startOnTerminal(place, [process.execPath, ferryPath, "login", "--with-token", "--host", url]);
    await terminal.see(/API key for/u);
    // @inquirer/password shows it at Ctrl-T, unless told not to.
    terminal.type("k3y\u0014!\u0003");
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).not.toContain("k3y");
  });
});
