import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scripts, shells } from "../../../src/cli/complete/scripts.ts";
import { ferry } from "../../support/ferry.ts";
import { answer, makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
beforeEach(() => {
  service = makeSeedService();
  service.sessions.push(
    { id: "ses_abc", title: "fix\nit", branch_name: "fix/login", status: "active" },
    { id: "ses_xyz", title: "" },
  );
  service.repositories.push({ id: "rep_1", full_name: "acme/shop", clone_url: "https://x.example/acme/shop.git" });
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(() => world.dispose());

async function values(...words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await ferry(world.next(), "complete", "--", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what can stand there", () => {
  test.each([
    [["pu"], ["pull"]],
    [
      ["help", "e"],
      ["events", "environment", "exit-codes"],
    ],
    [["help", "session", "v"], ["view"]],
    [["help", "session", "view", ""], []],
    [["sessions", "v"], ["view"]],
    [["--json", "session", "v"], ["view"]],
    [["--host", "x", "session", "v"], ["view"]],
    [["session", "list", "--sta"], ["--status"]],
    [
      ["run", "--pull", ""],
      ["end", "each", "none"],
    ],
    [
      ["run", "--pull=e"],
      ["--pull=end", "--pull=each"],
    ],
    [
      ["run", "--pull", "=", "e"],
      ["end", "each"],
    ],
    [["--color", "al"], ["always"]],
    [
      ["hook", "run", "post-"],
      ["post-checkout", "post-merge"],
    ],
    [["session", "list", "--fields", "id,ti"], ["id,title"]],
    [["session", "wait", "--fields", "session_id,out"], ["session_id,outcome"]],
    [["doctor", "--fields=ver"], ["--fields=verdict"]],
    [["config", "set", "--fields", "fr"], ["from"]],
    [["message", "send", "--fields", "pay"], ["payload"]],
    [["session", "list", "--status", "c"], ["closed"]],
    [["login", "--scopes", "sessions:a"], ["sessions:all"]],
    [
      ["key", "create", "--scopes", "sessions:read,repositories:"],
      ["sessions:read,repositories:read", "sessions:read,repositories:write", "sessions:read,repositories:all"],
    ],
    [["schedule", "create", "x", "--on", "monday,fr"], ["monday,friday"]],
    [["api", "PA"], ["PATCH"]],
    [
      ["api", "POST", ""],
      ["code-providers", "repositories", "sessions", "api-keys", "schedules"],
    ],
    [
      ["api", "-i", "get", "repos"],
      ["repositories", "repositories/rep_1", "repositories/rep_1/analysis"],
    ],
    [
      ["api", "GET", "sessions/ses_a"],
      ["sessions/ses_abc", "sessions/ses_abc/events", "sessions/ses_abc/patches", "sessions/ses_abc/uncommitted"],
    ],
    [
      ["api", "PATCH", "/api/v1/s"],
      ["/api/v1/sessions/ses_abc", "/api/v1/sessions/ses_xyz"],
    ],
    [["api", "GET", "sessions", ""], []],
    [["tail", "--type", "user_message,agent_al"], ["user_message,agent_alert_created"]],
    [
      ["session", "view", ""],
      ["ses_abc", "ses_xyz"],
    ],
    [["session", "view", "ses_a"], ["ses_abc"]],
    // As tables show it.
    [["session", "view", "ab"], ["abc"]],
    [["say", "--session=xy"], ["--session=xyz"]],
    [["session", "view", "nothing"], []],
    [["session", "view", "ses_abc", ""], []],
    [
      ["say", "--session", ""],
      ["ses_abc", "ses_xyz"],
    ],
    [["run", "--repo", "a"], ["acme/shop"]],
    [["run", "-F", ""], []],
    [["run", "any", ""], []],
    [["--host", ""], ["local"]],
    [["nothing", ""], []],
  ])("%j", async (words, expected) => {
    expect(await values(...words)).toEqual(expected);
  });

  test("a login is named by its host", async () => {
    const piped = world.next({}, { stdin: service.key });
    expect((await ferry(piped, "login", "--host", url, "--with-token")).code).toBe(0);
    expect(await values("auth", "switch", "")).toEqual(["agents.example.com"]);
    for (const its of [
      ["--host", "agents.example.com"],
      ["--host", "=", "agents.example.com"],
    ])
      expect(await values("auth", "switch", ...its, "")).toEqual(["agents.example.com"]);
    for (const other of [["--host", "other.example"], ["--host=other.example"], ["--host", "=", "other.example"]])
      expect(await values(...other, "auth", "switch", "")).toEqual([]);
  });

  test("--model names the agents of host local, without running any; of another service nothing is known", async () => {
    const all = ["claude", "codex", "gemini", "opencode", "qwen", "shell"];
    expect(await values("--host", "local", "run", "--model", "")).toEqual(all);
    expect(await values("--host", "local", "run", "--model=co")).toEqual(["--model=codex"]);
    expect(await values("run", "--model", "")).toEqual([]);
    await ferry(world.next(), "config", "set", "agents.goose.command", "goose acp");
    expect(await values("service", "agents", "login", "g")).toEqual(["gemini", "goose"]);
  });

  test("names that a terminal would obey or reorder, and those of two lines, are none", async () => {
    service.sessions.push(...["\u001b[2J", "ses_\u202ecba", "ses_1\nses_2", "ses_1\tx", "ses  ü"].map((id) => ({ id })));
    expect(await values("tail", "")).toEqual(["ses_abc", "ses_xyz", "ses  ü"]);
  });

  test("names that a shell would stand still over are none", async () => {
    service.sessions.push({ id: "x".repeat(30_000) }, { id: "y".repeat(200) });
    expect(await values("tail", "")).toEqual(["ses_abc", "ses_xyz", "y".repeat(200)]);
  });

  test("a description is one line behind a tab", async () => {
    expect((await ferry(world.next(), "complete", "--", "session", "view", "ses_a")).stdout).toBe("ses_abc\tfix/login fix it\n");
  });
});

test("an empty word that a shell can't hand over is told by --next", async () => {
  const { stdout } = await ferry(world.next(), "complete", "--next", "--", "config");
  expect(stdout).toBe((await ferry(world.next(), "complete", "--", "config", "")).stdout);
  expect(stdout).toContain("unset\t");
});

describe("what the service says", () => {
  const ask = (): Promise<string[]> => values("session", "view", "");

  test("is remembered for a minute, and is better than nothing for a day", async () => {
    await ask();
    service.calls.length = 0;
    expect(await ask()).toEqual(["ses_abc", "ses_xyz"]);
    expect(service.calls).toEqual([]);
    const folder = join(world.folder, "state", "completion");
    const file = join(folder, readdirSync(folder)[0] ?? "");
    const kept = JSON.parse(readFileSync(file, "utf8")) as { at: number };
    world.services.set(url, () => Promise.reject(new Error("offline")));
    writeFileSync(file, JSON.stringify({ ...kept, at: kept.at - 3_600_000 }));
    expect(await ask()).toEqual(["ses_abc", "ses_xyz"]);
    writeFileSync(file, JSON.stringify({ ...kept, at: kept.at - 100_000_000 }));
    expect(await ask()).toEqual([]);
  });

  test.each([
    "",
    "{",
    "null",
    '{"at":"now"}',
    '{"at":9e15,"values":[null]}',
    '{"at":9e15,"values":[{"value":1,"description":""}]}',
  ])("is asked for again where what was kept is %j", async (damaged) => {
    await ask();
    const folder = join(world.folder, "state", "completion");
    const file = join(folder, readdirSync(folder)[0] ?? "");
    writeFileSync(file, damaged);
    expect(await ask()).toEqual(["ses_abc", "ses_xyz"]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ values: [{ value: "ses_abc" }, { value: "ses_xyz" }] });
  });

  test("is told where it can't be kept or read", async () => {
    mkdirSync(join(world.folder, "state"), { recursive: true });
    writeFileSync(join(world.folder, "state", "completion"), "a file in the folder's place");
    expect(await ask()).toEqual(["ses_abc", "ses_xyz"]);
    expect(await ask()).toEqual(["ses_abc", "ses_xyz"]);
  });

  test("is waited for 300 ms", async () => {
    world.services.set(
      url,
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    const started = performance.now();
    expect(await ask()).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("of ten thousand sessions are the newest, whatever the service sends in a page", async () => {
    let pages = 0;
    world.services.set(url, async (request) => {
      const at = Number(new URL(request.url).searchParams.get("cursor") ?? 0);
      const items = Array.from({ length: 100 }, (_, index) => ({ id: `ses_${at + index}`, title: "x" }));
      pages += 1;
      return answer(200, { items, next_cursor: at + 100 < 10_000 ? String(at + 100) : "" });
    });
    expect(await ask()).toHaveLength(200);
    expect(pages).toBe(2);
  });

  test("is nothing, in silence, where nobody is logged in, nothing is there, or what comes is no answer", async () => {
    world.services.set(url, async () => answer(200, "<html>"));
    expect(await ask()).toEqual([]);
    const out = world.next({ env: { FERRY_HOST: "", FERRY_API_KEY: "" } });
    expect(await ferry(out, "complete", "--", "tail", "")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("is not worth opening the keychain for", async () => {
    await ferry(world.next({}, { stdin: service.key }), "login", "--with-token");
    world.keychain.trouble = "locked";
    world = world.next({ env: { FERRY_API_KEY: "" } });
    service.calls.length = 0;
    expect(await ask()).toEqual([]);
    expect(service.calls).toEqual([]);
  });
});

test("the scripts in completions/ are those that the program prints", async () => {
  const files = { bash: "ferry.bash", zsh: "_ferry", fish: "ferry.fish", powershell: "ferry.ps1" } as const;
  for (const shell of shells) {
    const { stdout } = await ferry(world.next(), "completion", shell);
    expect(stdout).toBe(readFileSync(join(import.meta.dirname, "../../../completions", files[shell]), "utf8"));
  }
});

test("in PowerShell's, each quote that PowerShell takes for one is doubled (about_Quoting_Rules)", () => {
  const [, pattern = ""] = /-replace "(\[.*\])", '\$0\$0'/u.exec(scripts.powershell) ?? [];
  const quotes = "'\u2018\u2019\u201a\u201b";
  expect(`a${quotes}b"`.replaceAll(new RegExp(pattern, "gu"), "$&$&")).toBe(
    `a${Array.from(quotes, (quote) => quote + quote).join("")}b"`,
  );
});
