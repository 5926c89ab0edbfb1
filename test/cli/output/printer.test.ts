import fc from "fast-check";
import { expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { harmless, harmlessJson } from "../../../src/base/text.ts";
import { failureAsJson } from "../../../src/cli/output/failure.ts";
import type { TimelineEvent } from "../../../src/client/timeline/items.ts";
import { makePrinter } from "../../../src/cli/output/printer.ts";
import { jq } from "../../support/world.ts";
import { makeFakeTerminal } from "../../support/terminal.ts";

const hostile = "a\u009b2J\u202e\u2066b\u{e0041}\u007f";
const { signal: interrupt } = new AbortController();
const options = { showSecrets: false, quiet: false };

test.each([true, false])(
  "JSON holds nothing that moves or reorders a terminal, and is the same JSON (terminal: %s)",
  async (tty) => {
    const terminal = makeFakeTerminal({ tty });
    const printer = makePrinter({ terminal, jq, interrupt }, options);
    await printer.json({ [hostile]: hostile });
    await printer.jsonLine([hostile]);
    const { stdout } = terminal.written;
    expect(stdout).toBe(harmless(stdout));
    expect(stdout).toContain("a\\u009b2J\\u202e\\u2066b\\udb40\\udc41\\u007f");
    const [line = ""] = stdout.split("\n").filter(Boolean).slice(-1);
    expect(JSON.parse(stdout.slice(0, -line.length - 1))).toEqual({ [hostile]: hostile });
    expect(JSON.parse(line)).toEqual([hostile]);
  },
);

test("any value stays what it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.parse(harmlessJson(json))).toEqual(JSON.parse(json));
    }),
  );
});

test("an error in JSON is as harmless", () => {
  const text = failureAsJson(new FerryError("failure", hostile));
  expect(text).toBe(harmless(text));
  expect(JSON.parse(text)).toMatchObject({ error: { message: hostile } });
});

test("strings of --jq come as they are into a pipe, and harmless onto a terminal", async () => {
  for (const [tty, shown] of [
    [false, `${hostile}\n`],
    [true, harmless(`${hostile}\n`)],
  ] as const) {
    const terminal = makeFakeTerminal({ tty });
    await makePrinter({ terminal, jq, interrupt }, { ...options, jq: ".[0]" }).json([hostile]);
    expect(terminal.written.stdout).toBe(shown);
  }
});

test("half a character is none in JSON, wherever it comes from, and so breaks no jq; pairs and backslashes stay", async () => {
  const text = String.raw`{"id":"\ud800lone\uDFFF\ud83d\ude00\\ud800\\\ud800\ud83d\ud83d\ude00","n":1.10}`;
  const whole = "\ufffdlone\ufffd\u{1f600}\\ud800\\\ufffd\ufffd\u{1f600}";
  const event = JSON.parse(text) as TimelineEvent;
  for (const texts of [() => text, undefined])
    for (const jqOption of [undefined, ".", ".id"]) {
      const terminal = makeFakeTerminal({ tty: false });
      const printer = makePrinter(
        { terminal, jq, interrupt },
        { ...options, ...(jqOption === undefined ? {} : { jq: jqOption }) },
      );
      await printer.events([{ event, texts, at: 0 }]);
      await printer.json(event);
      await printer.jsonLine(event);
      const { stdout } = terminal.written;
      if (jqOption === ".id") expect(stdout).toBe(`${whole}\n`.repeat(3));
      else for (const line of stdout.split(/\n(?=\{)/u)) expect(JSON.parse(line)).toMatchObject({ id: whole });
    }
});

test("many events are one question to jq, and each still an input of its own", async () => {
  const texts = [
    ...Array.from({ length: 300 }, (_, at) => `{"id":"evt_${at}","n":[1]}`),
    '{"id":"evt_b","n":2}',
    '{"id":"evt_c","n":[3]}',
  ];
  const events = texts.map((text) => ({ event: JSON.parse(text) as TimelineEvent, texts: () => text, at: 0 }));
  const shown = async (expression: string) => {
    const terminal = makeFakeTerminal({ tty: false });
    let questions = 0;
    const counted: typeof jq = (question, signal) => {
      questions++;
      return jq(question, signal);
    };
    const printer = makePrinter({ terminal, jq: counted, interrupt }, { ...options, jq: expression });
    const error = await printer.events(events).then(
      () => undefined,
      (thrown: unknown) => (thrown as FerryError).message,
    );
    return { questions, error, lines: terminal.written.stdout.split("\n").slice(0, -1) };
  };
  const ids = [...Array.from({ length: 300 }, (_, at) => `evt_${at}`), "evt_b", "evt_c"];
  expect(await shown(".id")).toEqual({ questions: 1, error: undefined, lines: ids });
  expect(await shown('""')).toEqual({ questions: 1, error: undefined, lines: ids.map(() => "") });
  // What comes after the one that fails isn't shown, as if it had been asked about each.
  expect(await shown(".id, (.n[] | empty)")).toMatchObject({
    error: "--jq: Cannot iterate over number (2)",
    lines: ids.slice(0, -1),
  });
  expect(await shown(".id, (input | empty)")).toMatchObject({
    questions: 1,
    lines: ["evt_0"],
    error: expect.stringContaining("no further input") as string,
  });
});

test("an event's numbers keep their digits, whatever is picked from it", async () => {
  const text =
    '{ "id": "evt_1", "n" : 9007199254740993, "token": "t", "payload": {"at":[1.10, 12345678901234567890], "token":"t"}, "n": 9007199254740995 }';
  const event = JSON.parse(text) as TimelineEvent;
  const shown = async (change: object) => {
    const terminal = makeFakeTerminal({ tty: false });
    await makePrinter({ terminal, jq, interrupt }, { ...options, ...change }).events([{ event, texts: () => text, at: 0 }]);
    return terminal.written.stdout;
  };
  const payload = '{"at":[1.10,12345678901234567890],"token":"<redacted>"}';
  expect(await shown({ fields: ["n", "payload", "token", "status"] })).toBe(
    `{"n":9007199254740995,"payload":${payload},"token":"<redacted>","status":null}\n`,
  );
  expect(await shown({ fields: ["n"], jq: ".n" })).toBe("9007199254740995\n");
  expect(await shown({ jq: ".n, .payload" })).toBe(`9007199254740995\n${payload}\n`);
  expect(await shown({ showSecrets: true, jq: ".token" })).toBe("t\n");
  await expect(shown({ fields: ["nope"] })).rejects.toMatchObject({ kind: "usage" });
});
