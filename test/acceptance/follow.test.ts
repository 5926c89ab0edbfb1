import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import type { Send } from "../../src/host/host.ts";
import { collect, makeBinary, type Binary, type Result } from "../support/binary.ts";
import { serveOverHttp } from "../support/over-http.ts";
import { startOnTerminal } from "../support/pty.ts";
import { makeTimelineService, type TimelineService } from "../support/timeline-service.ts";

/** The built program follows a service of the interface alone, over a real line: what only a real process can show. */
let binary: Binary;
let service: TimelineService;
let env: Record<string, string>;
beforeEach(async () => {
  binary = makeBinary();
  service = makeTimelineService({ clock: systemClock, capabilities: ["stream", "after"] });
  env = { FERRY_HOST: await serveOverHttp(service.send), FERRY_API_KEY: "key-of-a-test" };
});
afterEach(() => binary.dispose());

const ferry = ["bin/ferry.js"].map((path) => join(import.meta.dirname, "../..", path));
const command = [process.execPath, ...ferry, "tail", "ses_1"];

function shell(script: string): Promise<Result> {
  const child = spawn("bash", ["-c", script, "bash", ...command], {
    cwd: binary.folder,
    env: { ...binary.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return collect(child);
}

function say(message: string): void {
  service.add("agent_message", { payload: { type: "agent_message", message } });
}

/** Something happens until it is stopped. */
async function talk(signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    say(`line ${count}`);
    await systemClock.sleep(50, signal).catch(() => undefined);
  }
}

async function whileTalking<T>(work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const talking = talk(stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await talking;
  }
}

describe("stdout", () => {
  test("that head has closed is no failure", async () => {
    const { stdout, stderr } = await whileTalking(() => shell('"$@" | head -2; echo "codes ${PIPESTATUS[*]}"'));
    expect(stdout).toMatch(/line 0\n.*line 1\ncodes 0 0\n$/u);
    expect(stderr).toBe("");
  });

  test("that is a full disk is told, once, with exit 1", async () => {
    const { stdout, stderr } = await whileTalking(() => shell('"$@" > /dev/full; echo "code $?"'));
    expect(stdout).toBe("code 1\n");
    expect(stderr).toMatch(/^ferry: .*no space left.*\n(  hint: .*\n)?$/u);
  });

  test("that less reads ends with less", async () => {
    const screen = startOnTerminal({ ...binary, env: { ...binary.env, ...env } }, [
      "bash",
      "-c",
      '"$@" | less; echo "codes ${PIPESTATUS[*]}"',
      "bash",
      ...command,
    ]);
    await whileTalking(async () => {
      await screen.see(/line 0/u);
      screen.type("q");
      await screen.see(/codes 0 0/u);
    });
    expect(await screen.ended).toBe(0);
  });
});

test("Ctrl-C once ends it at once with 130, says how to go on, and touches nothing of the session", async () => {
  service.add("user_message", { status: "processing" });
  const child = binary.start(["tail", "ses_1"], { env });
  const ended = collect(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  const start = performance.now();
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(performance.now() - start).toBeLessThan(5000);
  expect(stderr).toBe("ferry: interrupted: no longer watching ses_1\n  hint: watch it again: ferry tail ses_1\n");
  expect(service.asked.filter((line) => line.startsWith("POST") || line.startsWith("DELETE"))).toEqual([]);
});

test("Ctrl-C with --json leaves one JSON object on stderr and no prose before it", async () => {
  service.add("user_message", { status: "processing" });
  const child = binary.start(["tail", "ses_1", "--json"], { env });
  const ended = collect(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "interrupted" } });
});

test("a plan is drawn over, also where the terminal was resized meanwhile", async () => {
  const plan = (step: number) => {
    const entries = ["one", "two", `step ${step}.`].map((content) => ({ content, status: "pending" }));
    return { payload: { type: "agent_plan_execution_update", entries } };
  };
  const { id } = service.add("agent_plan_execution_update", { ...plan(0), status: "processing" });
  const device = join(binary.folder, "tty");
  const screen = startOnTerminal({ ...binary, env: { ...binary.env, ...env } }, [
    "sh",
    "-c",
    'stty cols 100 rows 30; tty > "$0"; exec "$@"',
    device,
    ...command,
  ]);
  let step = 0;
  const isDrawnOver = async (): Promise<boolean> => {
    const from = screen.screen().length;
    service.change(id, plan(++step));
    await screen.see(new RegExp(`step ${step}\\.`, "u"));
    return screen.screen().slice(from).includes(over);
  };
  const over = "\u001b[4A\u001b[K";
  await screen.see(/step 0\./u);
  expect(await isDrawnOver()).toBe(true);
  const path = (await readFile(device, "utf8")).trim();
  await promisify(execFile)("stty", ["-F", path, "cols", "50"]);
  // At the new width its lines take the same rows.
  expect(await isDrawnOver()).toBe(true);
  service.change(id, { status: "completed" });
  service.add("session_finished");
  service.set({ status: "finished", agent_status: "stopped" });
  expect(await screen.ended).toBe(0);
});

test("a tail asks for the session and its timeline, whatever else the service has", async () => {
  service.add("user_message");
  service.add("session_finished");
  service.session = { id: "ses_1", status: "finished", agent_status: "stopped" };
  const { code } = await binary.run(["tail", "ses_1"], { env });
  expect(code).toBe(0);
  // What comes while it ends makes it look once more, a few times at most.
  expect(service.asked.length).toBeLessThan(20);
  expect(service.asked.filter((line) => !/ses_1|\/cli/u.test(line))).toEqual([]);
});

test("a message whose answer is cut is found, and not sent again", async () => {
  const posted: string[] = [];
  const cutAfterTaking: Send = async (request) => {
    if (request.method !== "POST") return service.send(request);
    const { message, client_id } = JSON.parse(Buffer.from(request.body ?? "").toString()) as Record<string, string>;
    posted.push(message ?? "");
    service.add("user_message", { status: "queued", client_id: client_id ?? "" });
    throw new Error("cut");
  };
  service.add("user_message", { status: "processing" });
  service.add("user_message", { status: "queued" });
  const host = await serveOverHttp(cutAfterTaking);
  const { code, stderr } = await binary.run(["message", "send", "ses_1", "go on"], { env: { ...env, FERRY_HOST: host } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "queued, behind 1 other: the agent takes it when it is free\n" });
  expect(posted).toEqual(["go on"]);
  expect(service.events.filter(({ client_id }) => client_id?.startsWith("ferry-") === true)).toHaveLength(1);
});

test("a list of 1,000 sessions asks for its pages, and for none of the sessions", async () => {
  const asked: string[] = [];
  const all = Array.from({ length: 1000 }, (_, at) => ({ id: `ses_${at}`, status: "active", agent_status: "idle" }));
  const send: Send = async ({ method, url }) => {
    const { pathname, searchParams } = new URL(url);
    asked.push(`${method} ${pathname}`);
    const from = Number(searchParams.get("cursor") ?? 0);
    const next_cursor = from + 100 < all.length ? String(from + 100) : null;
    const isList = pathname === "/api/v1/sessions";
    const body = async function* () {
      yield Buffer.from(JSON.stringify(isList ? { items: all.slice(from, from + 100), next_cursor } : { error: "no" }));
    };
    const headers = { "content-type": "application/json" };
    return { status: isList ? 200 : 404, headers, body: body(), cancel: async () => undefined };
  };
  const { code, stdout } = await binary.run(["session", "list", "--json"], {
    env: { ...env, FERRY_HOST: await serveOverHttp(send) },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(1000);
  expect(asked.filter((line) => line !== "GET /api/v1/cli")).toEqual(Array<string>(10).fill("GET /api/v1/sessions"));
});
