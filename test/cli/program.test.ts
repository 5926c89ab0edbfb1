import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NoAnswerError, ReaderGoneError } from "../../src/base/errors.ts";
import { entries } from "../../src/cli/commands/index.ts";
import { layOutHelp } from "../../src/cli/help/layout.ts";
import { commandTree } from "../../src/cli/help/tree.ts";
import { fail, run } from "../../src/cli/run.ts";
import { ferry } from "../support/ferry.ts";
import { makeIdleClock } from "../support/idle-clock.ts";
import { answer } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

test("gh's fields behind --json are told as --fields, where they are too many and where they name no session", async () => {
  const tooMany = await ferry(world, "session", "list", "--json", "id,title");
  expect(tooMany).toMatchObject({ code: 2 });
  expect(JSON.parse(tooMany.stderr)).toMatchObject({ error: { kind: "usage", hint: "did you mean --fields id,title?" } });
  const { stderr } = await ferry(world.next(), "session", "list", "--json=id");
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: "--json takes no value", hint: "did you mean --fields id?" } });
  const url = "https://agents.example.com";
  world.services.set(url, async ({ url: asked }) =>
    asked.endsWith("/sessions/title") ? answer(404, { error: "no such session" }) : answer(200, { items: [] }),
  );
  const env = { ...world.host.env, FERRY_HOST: url, FERRY_API_KEY: "k" };
  const noSession = await ferry(world.next({ env }), "session", "view", "--json", "title");
  expect(noSession).toMatchObject({ code: 5 });
  expect(JSON.parse(noSession.stderr)).toMatchObject({ error: { kind: "not_found", hint: "did you mean --fields title?" } });
});

test("--version", async () => {
  expect(await ferry(world, "--version")).toEqual({ code: 0, stdout: "ferry 0.1.0\n", stderr: "" });
});

test("without arguments, and with --help, the help is data", async () => {
  const bare = await ferry(world);
  expect(bare).toMatchObject({ code: 0, stderr: "" });
  expect(bare.stdout).toContain("Main job:");
  expect((await ferry(world.next(), "--help")).stdout).toBe(bare.stdout);
});

test.each(entries.map(({ name }) => name))("%s --help names its verbs or shows examples", async (name) => {
  const { code, stdout, stderr } = await ferry(world, name, "--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/Examples:|Commands:/u);
});

test.each([80, 50, 40])("each page of help fits into %d columns, but for a single word", async (columns) => {
  for (const { page, text } of await pagesOfHelp(columns)) {
    const wide = text.split("\n").filter((line) => line.length > columns && line.trim().includes(" "));
    expect({ page: page.usage, wide }).toEqual({ page: page.usage, wide: [] });
    for (const paragraph of page.about.split("\n\n"))
      expect(text.replaceAll("\n\n", "¶").replaceAll("\n", " ")).toContain(paragraph);
  }
});

test.each([80, 50, 40])("in %d columns an example is still there to be copied into a shell", async (columns) => {
  for (const { page, text } of await pagesOfHelp(columns)) {
    const joined = text.replace(/ \\\n +/gu, " ").replace(/(\||&&)\n +/gu, "$1 ");
    for (const example of page.examples) expect(joined).toContain(`\n  ${example.replace(/ {3,}.*$/u, "")}`);
  }
});

async function pagesOfHelp(columns: number) {
  const program = await commandTree();
  const pages = [program, ...program.commands.flatMap((node) => [node, ...node.commands])];
  return pages.map((page) => ({ page, text: layOutHelp(page, program, columns) }));
}

test("help VERB is VERB --help", async () => {
  const { stdout } = await ferry(world, "help", "session", "list");
  expect(stdout).toContain("ferry session list --status active");
  expect((await ferry(world.next(), "sessions", "ls", "--help")).stdout).toBe(stdout);
});

describe("what doesn't fit is exit 2, one line and a hint", () => {
  test.each([
    [["sesion"], "ferry: unknown command 'sesion'\n  hint: did you mean session?\n"],
    [["version"], "ferry: unknown command 'version'\n  hint: did you mean --version?\n"],
    [
      ["status"],
      "ferry: unknown command 'status'\n  hint: did you mean ferry hook status, ferry session view, ferry auth status or ferry service status?\n",
    ],
    [["session", "lst"], "ferry: session has no command 'lst'\n  hint: did you mean list?\n"],
    [["service", "bogus"], "ferry: service has no command 'bogus'\n  hint: see ferry service --help\n"],
    [["session", "list", "--limt", "3"], "ferry: unknown option '--limt'\n  hint: did you mean --limit?\n"],
    [["session", "list", "--wombat"], "ferry: unknown option '--wombat'\n  hint: see ferry session list --help\n"],
    [
      ["session", "list", "--limit", "0"],
      /^ferry: option '--limit <number>' argument '0' is invalid\. .*\n {2}hint: see ferry session list --help\n$/u,
    ],
    [["session", "link"], "ferry: missing required argument 'session'\n  hint: see ferry session link --help\n"],
    [["sessions", "delete"], "ferry: session has no command 'delete'\n  hint: did you mean close?\n"],
    [["key", "remove"], "ferry: key has no command 'remove'\n  hint: did you mean revoke?\n"],
    [["session", "rename", "x"], "ferry: session has no command 'rename'\n  hint: did you mean edit?\n"],
    [["session", "events"], "ferry: session has no command 'events'\n  hint: did you mean ferry events?\n"],
    [["hook", "add"], "ferry: hook has no command 'add'\n  hint: did you mean install?\n"],
    [["configure"], "ferry: unknown command 'configure'\n  hint: did you mean config?\n"],
    [["repository", "list"], "ferry: unknown command 'repository'\n  hint: did you mean repo?\n"],
    [["agents"], "ferry: unknown command 'agents'\n  hint: did you mean ferry service agents?\n"],
    [["help", "environmnt"], "ferry: unknown command 'environmnt'\n  hint: did you mean ferry help environment?\n"],
    [["login", "--token-stdin"], "ferry: unknown option '--token-stdin'\n  hint: did you mean --with-token?\n"],
    [
      ["provider", "create", "--with-token"],
      "ferry: unknown option '--with-token'\n  hint: did you mean --token-stdin or --token-env?\n",
    ],
    [
      ["provider", "create", "--token=glpat-1"],
      "ferry: unknown option '--token'\n  hint: did you mean --token-stdin or --token-env?\n",
    ],
    [["repo", "delete", "r", "--force"], "ferry: unknown option '--force'\n  hint: did you mean --yes?\n"],
    [["pull", "--force"], "ferry: unknown option '--force'\n  hint: did you mean --autostash or --accept-rewrite?\n"],
    [["tail", "ses_1", "-f"], "ferry: unknown option '-f'\n  hint: did you mean ferry tail, which follows by itself?\n"],
    [["tail", "--follow"], "ferry: unknown option '--follow'\n  hint: did you mean ferry tail, which follows by itself?\n"],
    [["say", "--a b"], "ferry: unknown option '--a b'\n  hint: see ferry say --help; text that begins with - goes behind --\n"],
    [["session", "list", "--force"], "ferry: unknown option '--force'\n  hint: see ferry session list --help\n"],
    [["events", "-tghp_1"], "ferry: unknown option '-t'\n  hint: did you mean --jq?\n"],
    [["events", "-pghp_1"], "ferry: unknown option '-p'\n  hint: see ferry events --help\n"],
    [["session", "list", "--quiet=1"], "ferry: --quiet takes no value\n  hint: see ferry session list --help\n"],
    [
      ["provider", "create", "--token-stdin=x"],
      "ferry: --token-stdin takes no value\n  hint: see ferry provider create --help\n",
    ],
    [["session", "list", "-L", "5"], "ferry: unknown option '-L'\n  hint: did you mean --limit?\n"],
    [["session", "list", "-R", "a/b"], "ferry: unknown option '-R'\n  hint: did you mean --repo?\n"],
    [["session", "list", "--output", "json"], "ferry: unknown option '--output'\n  hint: did you mean --json?\n"],
    [["session", "view", "--web"], "ferry: unknown option '--web'\n  hint: did you mean ferry session open?\n"],
    [["events", "--follow"], "ferry: unknown option '--follow'\n  hint: did you mean ferry tail?\n"],
    [["api", "-X", "POST", "sessions"], "ferry: unknown option '-X'\n  hint: did you mean ferry api METHOD PATH?\n"],
    [["run", "-p", "fix it"], "ferry: unknown option '-p'\n  hint: did you mean the prompt itself, with no flag before it?\n"],
    [["whoami", "--no-color"], "ferry: unknown option '--no-color'\n  hint: did you mean --color never?\n"],
    [
      ["session", "list", "-q", ".[].id"],
      "ferry: too many arguments for 'session list'. Expected 0 arguments but got 1.\n  hint: did you mean --jq '.[].id'?\n",
    ],
    [
      ["login", "agents.example.com"],
      "ferry: too many arguments for 'login'. Expected 0 arguments but got 1.\n  hint: did you mean --host agents.example.com?\n",
    ],
    [
      ["login", "github"],
      "ferry: too many arguments for 'login'. Expected 0 arguments but got 1.\n  hint: did you mean ferry provider create (how the service reaches your code) or --host ADDRESS (the service itself)?\n",
    ],
    [["tail", "--nope"], "ferry: unknown option '--nope'\n  hint: see ferry tail --help\n"],
    [["wombat"], "ferry: unknown command 'wombat'\n  hint: see ferry --help\n"],
    [
      ["provider", "create", "--platform", "github"],
      "ferry: option '--platform <platform>' argument 'github' is invalid. Allowed choices are gitlab.\n  hint: see ferry provider create --help\n",
    ],
    [
      ["key", "create", "nightly", "--expires", "soon"],
      "ferry: option '--expires <duration>' argument 'soon' is invalid. Write it as 90s, 10m, 2h or 90d.\n  hint: see ferry key create --help\n",
    ],
    [["whoami", "extra"], /^ferry: too many arguments for 'whoami'/u],
    [["session", "view", "a", "b"], /^ferry: too many arguments for 'session view'\. Expected 1 argument but got 2/u],
    [["-C", "/nonexist", "config", "list"], "ferry: no such folder: /nonexist\n"],
    [["config", "list", "-C", "/dev/null"], "ferry: not a folder: /dev/null\n"],
  ])("%j", async (argv, expected) => {
    const { code, stdout, stderr } = await ferry(world, ...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    if (typeof expected === "string") expect(stderr).toBe(expected);
    else expect(stderr).toMatch(expected);
  });
});

test.each([
  [["rnu", "--help"], ["rnu"]],
  [["help", "rnu"], ["rnu"]],
  [
    ["session", "lst", "-h"],
    ["session", "lst"],
  ],
  [
    ["help", "sessions", "lst"],
    ["session", "lst"],
  ],
])("the help of what isn't there is none: %j", async (argv, without) => {
  const expected = await ferry(world, ...without);
  expect(expected.code).toBe(2);
  expect(await ferry(world.next(), ...argv)).toEqual(expected);
});

describe("a noun without a verb", () => {
  test.each([["service"], ["sessions"]])("%s: its help on stderr, exit 2", async (noun) => {
    const { stdout: help } = await ferry(world, noun, "--help");
    const { code, stdout, stderr } = await ferry(world.next({}, { columns: 80 }), noun);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const [first, last = ""] = stderr.split("\nferry: ");
    expect(first).toBe(help);
    expect(last).toMatch(/^(session|service) needs a command\n {2}hint: one of [a-z, ]+\n$/u);
  });

  test("with --json one object", async () => {
    const { stderr } = await ferry(world, "session", "--json");
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", message: "session needs a command" } });
  });
});

test("with --json an error is one object on stderr", async () => {
  const { code, stderr } = await ferry(world, "session", "list", "--json", "--limt", "3");
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toEqual({
    error: { kind: "usage", message: "unknown option '--limt'", hint: "did you mean --limit?" },
  });
});

test("a stack trace only with --verbose", async () => {
  expect((await ferry(world, "whoami", "--host", "https://x.example")).stderr).not.toContain("at ");
  expect((await ferry(world.next(), "whoami", "--host", "https://x.example", "-v")).stderr).toMatch(/\n\s+at /u);
});

test("a closed pipe is no failure; a full disk is", async () => {
  const failing = (error: Error) => ({
    ...world.host,
    terminal: { ...world.terminal, stdout: { ...world.terminal.stdout, write: () => Promise.reject(error) } },
  });
  expect(await run(["--help"], failing(new ReaderGoneError("gone")))).toBe(0);
  expect(world.terminal.written.stderr).toBe("");
  expect(await run(["--help"], failing(Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC" })))).toBe(1);
  expect(world.terminal.written.stderr).toBe("ferry: ENOSPC: write\n");
});

test("Ctrl-C is told as what ended it, also where the reader went with it; with stderr held up, by the exit code alone", async () => {
  const interrupted = world.next();
  interrupted.interrupt();
  const gone = () => Promise.reject(new ReaderGoneError("gone"));
  expect(await fail(new ReaderGoneError("gone"), ["tail"], interrupted.host)).toBe(130);
  expect(interrupted.terminal.written.stderr).toBe("ferry: interrupted\n");
  for (const write of [gone, () => Promise.reject(interrupted.host.interrupt.reason as Error)]) {
    const terminal = { ...interrupted.terminal, stderr: { ...interrupted.terminal.stderr, write } };
    expect(await fail(interrupted.host.interrupt.reason, ["tail"], { ...interrupted.host, terminal })).toBe(130);
  }
});

test("a pipe that breaks elsewhere is a failure, whatever a service calls it", async () => {
  const url = "https://agents.example.com";
  const asked = () => world.next({ env: { FERRY_HOST: url, FERRY_API_KEY: "key" } });
  world.services.set(url, async () => answer(409, { statusCode: 409, code: "EPIPE", error: "Conflict", message: "broken" }));
  expect(await ferry(asked(), "session", "list")).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: broken (GET /api/v1/sessions: 409)\n",
  });
  const cut = new NoAnswerError("agents.example.com: the connection was cut (EPIPE)", { sent: true, code: "EPIPE" });
  world.services.set(url, () => Promise.reject(cut));
  const there = asked();
  const host = { ...there.host, clock: makeIdleClock() };
  expect(await ferry({ ...there, host }, "key", "create", "x", "--scopes", "all:all")).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("EPIPE") as string,
  });
});

test("a fault in the program is told as one", async () => {
  const broken = {
    ...world.host,
    terminal: {
      ...world.terminal,
      stdout: { ...world.terminal.stdout, write: () => Promise.reject(new TypeError("x is not a function")) },
    },
  };
  expect(await run(["--help"], broken)).toBe(1);
  expect(world.terminal.written.stderr).toBe(
    "ferry: ferry has a fault: TypeError: x is not a function\n  hint: please report it with what --verbose shows\n",
  );
});

test("a fault that quotes a value, which may be a key, is told without it, by --verbose too", async () => {
  const key = "k".repeat(20);
  const faults = [
    () => new RegExp(`${key}(`, "u"),
    () => JSON.parse(`{"a":${key}`) as unknown,
    () => "x" in (key as unknown as object),
    () => new Map([key as unknown as [string, string]]),
  ];
  for (const fail of faults)
    for (const options of [[], ["--verbose"]]) {
      const write = async (): Promise<void> => void fail();
      const stdout = { ...world.terminal.stdout, write };
      world.terminal.written.stderr = "";
      expect(await run(["--help", ...options], { ...world.host, terminal: { ...world.terminal, stdout } })).toBe(1);
      expect(world.terminal.written.stderr).toMatch(/^ferry: ferry has a fault: (Syntax|Type)Error\n/u);
      expect(world.terminal.written.stderr).not.toContain(key.slice(0, 5));
      if (options.length > 0) expect(world.terminal.written.stderr).toMatch(/cause: \w+Error\n {4}at [^]*program\.test/u);
    }
});

test("every verb's file is listed by its noun", async () => {
  const commands = new URL("../../src/cli/commands/", import.meta.url);
  const exported = new Set<unknown>();
  for (const noun of readdirSync(commands, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    for (const file of readdirSync(new URL(`${noun.name}/`, commands), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => name !== "index.ts")) {
      const module = (await import(new URL(`${noun.name}/${file}`, commands).href)) as Record<string, unknown>;
      for (const value of Object.values(module))
        if (typeof value === "object" && value !== null && "run" in value && "summary" in value) exported.add(value);
    }
  const loaded = await Promise.all(entries.map(({ load }) => load()));
  const loads = loaded.flatMap((one) => ("run" in one ? [async () => one] : one.map(({ load }) => load)));
  const listed = await Promise.all(loads.map((load) => load()));
  expect(listed).toHaveLength(exported.size);
  for (const verb of listed) expect(exported).toContain(verb);
});

test("a verb is listed by its own name", async () => {
  for (const { name, load } of entries) {
    const loaded = await load();
    for (const one of "run" in loaded ? [{ name, load: async () => loaded }] : loaded)
      expect((await one.load()).name).toBe(one.name);
  }
});

test("a verb of its own has the summary of its entry", async () => {
  for (const { summary, load } of entries) {
    const loaded = await load();
    if ("summary" in loaded) expect(loaded.summary).toBe(summary);
  }
});
