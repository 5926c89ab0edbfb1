import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, watch, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { systemFiles } from "../../../src/host/files.ts";
import type { Clock } from "../../../src/host/host.ts";
import { forgetSignIn, keepSignIn } from "../../../src/service/agent/sign-in/store.ts";
import { chooseDriver, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { machine } from "../../support/sandbox.ts";

/**
 * Says the refresh token in its HOME, and does what the prompt says before: `renew TOKEN` (as agents do, in place), `break` (leaves half
 * of the file), `hijack` (writes what the agent outside would run), or `renew TOKEN and hang`.
 */
const program = `
const fs = require("node:fs"), home = process.env.HOME + "/.fake/", path = home + "auth.json";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => send({ method: "session/update", params: { sessionId: "s",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
const read = () => JSON.parse(fs.readFileSync(path, "utf8"));
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "s" }),
  "session/prompt": ({ prompt }) => {
    const [verb, token, , more] = prompt.at(-1).text.split(" ");
    if (verb === "renew") fs.writeFileSync(path, JSON.stringify({ ...read(), refresh_token: token }));
    if (verb === "break") return fs.writeFileSync(path, '{"refresh_token":"bro'), { stopReason: "end_turn" };
    if (verb === "hijack") {
      fs.writeFileSync(path, JSON.stringify({ ...read(), helper: "rm -rf /", refresh_token: "still" }));
      fs.writeFileSync(home + "settings.json", '{"helper":"rm -rf /"}');
    }
    say(read().refresh_token);
    if (more !== "hang") return { stopReason: "end_turn" };
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (result !== undefined) send({ id, result });
});`;

let folder: ReturnType<typeof makeFolder>;
let data: string;
let engine: TestEngine;

beforeEach(async () => {
  folder = makeFolder();
  data = join(folder.path, "data");
  writeFileSync(join(folder.path, "agent.js"), program);
  commitFiles(makeRepository(join(folder.path, "repository")), { a: "1\n" });
  await signIn("r0");
  await open();
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

/** In real sandboxes, by the real launcher. */
async function open(options: EngineOptions = {}): Promise<void> {
  const network = [{ host: "account.example", port: 443 }];
  const configured = [{ name: "other", command: [join(folder.path, "agent.js")], mounts: [], env: [], network }];
  const { driver } = await chooseDriver("auto", makeDrivers(machine));
  engine = await makeTestEngine({ data, configured, driver, programs: { node: process.execPath }, ...options });
}

const fileOf = (name: string): string => join(data, "agents/other/home/.fake", name);
const kept = (): Record<string, string> => JSON.parse(readFileSync(fileOf("auth.json"), "utf8")) as Record<string, string>;

/** As `ferry service agents login` leaves it. */
async function signIn(token: string): Promise<void> {
  mkdirSync(join(data, "agents/other/home/.fake"), { recursive: true });
  writeFileSync(fileOf("auth.json"), JSON.stringify({ who: "ada", refresh_token: token }));
  writeFileSync(fileOf("settings.json"), '{"theme":"dark"}');
  await keepSignIn(systemFiles, data, "other", "");
}

const begin = async (): Promise<Session> =>
  engine.start(await engine.register(join(folder.path, "repository")), { model: "other" });

/** What the agent says last, when it has been given the message. */
async function say(session: Session, message: string): Promise<string> {
  await engine.work(session, message);
  const payload = (await engine.events(session)).at(-1)?.payload;
  return payload?.type === "agent_message" ? payload.message : "";
}

test("what an agent renews is kept for the next session, for the others that are open, and over a restart", async () => {
  const [first, second] = [await begin(), await begin()];
  expect(await say(second, "hello")).toBe("r0");
  expect(await say(first, "renew r1")).toBe("r1");
  expect(kept()).toEqual({ who: "ada", refresh_token: "r1" });
  expect(statSync(fileOf("auth.json")).mode & 0o777).toBe(0o600);
  expect(await say(await begin(), "hello")).toBe("r1");
  expect(await say(second, "hello")).toBe("r1");
  expect(await say(second, "renew r2")).toBe("r2");

  await engine.close();
  await open();
  expect(await say(first, "hello")).toBe("r2");
});

test("sessions that renew at once leave a whole file, and none of them undoes another's", async () => {
  const sessions = [await begin(), await begin(), await begin()];
  const texts = new Set<string>();
  const over = new AbortController();
  const watched = (async () => {
    while (!over.signal.aborted) texts.add(await readFile(fileOf("auth.json"), "utf8"));
  })();
  for (const round of [1, 2]) await Promise.all(sessions.map((session, at) => engine.work(session, `renew r${round}-${at}`)));
  over.abort();
  await watched;
  const tokens = [...texts].map((text) => (JSON.parse(text) as { refresh_token: string }).refresh_token);
  expect(tokens.filter((token) => !/^r(0|[12]-[012])$/u.test(token))).toEqual([]);
  const last = kept()["refresh_token"] ?? "";
  expect(last).toMatch(/^r2-/u);
  for (const session of sessions) expect(await say(session, "hello")).toBe(last);
});

test("a turn that is stopped gives back what it renewed before", async () => {
  const session = await begin();
  await engine.post(session, "renew r1 and hang");
  await engine.until(session, (item) => item.type === "delta" && item.delta.text === "r1");
  await engine.sessions.cancel(session.id, { queued: false });
  expect(kept()["refresh_token"]).toBe("r1");
});

test("in a long turn it is kept while that lasts", async () => {
  await engine.close();
  // The pause between two looks is no pause here.
  const sleep: Clock["sleep"] = (ms, signal) => systemClock.sleep(ms === 15_000 ? 1 : ms, signal);
  await open({ clock: { ...systemClock, sleep } });
  const session = await begin();
  const changes = watch(join(data, "agents/other/home/.fake"));
  await engine.post(session, "renew r1 and hang");
  while (kept()["refresh_token"] !== "r1") await once(changes, "change");
  changes.close();
  expect(await engine.store.sessions.find(session.id)).toMatchObject({ agent_status: "working" });
  await engine.sessions.cancel(session.id, { queued: false });
});

test("what a hostile agent writes is no more than a token, and half a file is none", async () => {
  const session = await begin();
  await say(session, "hijack");
  expect(kept()).toEqual({ who: "ada", refresh_token: "still" });
  expect(readFileSync(fileOf("settings.json"), "utf8")).toBe('{"theme":"dark"}');
  await engine.work(session, "break");
  expect(kept()).toEqual({ who: "ada", refresh_token: "still" });
});

test("a user who signs in anew, or out, meanwhile has the last word", async () => {
  const session = await begin();
  expect(await say(session, "renew r1")).toBe("r1");
  await signIn("n0");
  expect(await say(session, "renew r2")).toBe("r2");
  expect(kept()["refresh_token"]).toBe("n0");
  expect(await say(await begin(), "hello")).toBe("n0");
  await forgetSignIn(systemFiles, data, "other");
  await say(session, "renew r3");
  expect(existsSync(join(data, "agents/other"))).toBe(false);
});
