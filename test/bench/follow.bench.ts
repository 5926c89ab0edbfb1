import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "../../src/client/client.ts";
import { follow } from "../../src/client/follow.ts";
import { makeWholeTimeline } from "../../src/client/timeline/whole/array.ts";
import { systemClock } from "../../src/host/clock.ts";
import { systemFiles } from "../../src/host/files.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { listen } from "../../src/service/listen.ts";
import { makeTestClient } from "../support/client.ts";
import { makeTestService } from "../support/service.ts";

const events = 200_000;
const turns = 300;

if (process.send === undefined) {
  // First, since its memory is this process's.
  await measureReading();
  await measureLatency();
  await measurePolls();
} else await serveLongTimeline();

/** From the moment that the service stores an event to the moment that its line has left `ferry tail`, each in a process of its own. */
async function measureLatency(): Promise<void> {
  const service = await makeTestService();
  const listener = await listen(service.app, { address: "127.0.0.1", port: 0 }, systemClock);
  const host = listener.address;
  const client = makeTestClient(makeNetwork({}).send, { baseUrl: host, key: { value: service.key, source: "the bench" } });
  await client.createRepository({ body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  const { id } = await client.createSession({ body: { message: "go" } });
  const folder = await mkdtemp(join(tmpdir(), "ferry-bench-"));
  const env = { PATH: process.env["PATH"], HOME: folder, FERRY_API_KEY: service.key };
  const tail = spawn(process.execPath, ["bin/ferry.js", "tail", id, "--host", host], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const waits: number[] = [];
  let stored = 0;
  const next = async () => {
    stored = performance.now();
    await service.sessions.finishTurn(id, `turn ${waits.length}`);
  };
  while (service.sessions.followers() === 0) await setTimeout(20);
  void next();
  for await (const line of createInterface({ input: tail.stdout })) {
    if (!line.endsWith(` turn ${waits.length}`)) continue;
    waits.push(performance.now() - stored);
    if (waits.length === turns) break;
    // As an agent does, one thing after the other and not all at once.
    await setTimeout(5);
    void next();
  }
  const ended = once(tail, "exit");
  tail.kill();
  // It keeps what it compiled in the folder that goes.
  await ended;
  const sorted = waits.toSorted((one, other) => one - other);
  console.log(`an event, from the service to its line: p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms (aim p99 50 ms)`);
  await listener.close();
  await service.close();
  await rm(folder, { recursive: true });
}

/** A look whether there is something new where there isn't, by each way that there is, at a short and a long timeline. */
async function measurePolls(): Promise<void> {
  const service = await makeTestService();
  const client = makeTestClient(service.send, { key: { value: service.key, source: "the bench" } });
  await client.createRepository({ body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  const { id } = await client.createSession({ body: {} });
  for (const size of [100, 20_000]) {
    for (let count = 1; count <= size; count++) {
      const payload = { type: "agent_message" as const, message: "x".repeat(240) };
      await service.store.timeline.append(id, {
        id: `evt_${size}_${count}`,
        payload,
        status: "completed",
        at: "2026-01-01T00:00:00Z",
      });
    }
    const whole = makeWholeTimeline({ client, clock: systemClock, sessionId: id, makeSpool: systemFiles.makeSpool });
    let revision = 0;
    for await (const { events: read } of whole.read()) revision = read.at(-1)?.revision ?? revision;
    const byTag = await timePolls(async () => {
      const { done } = await whole.read({ sameTag: true }).next();
      if (done !== true) throw new Error("there is something new");
    });
    const byAfter = await timePolls(() =>
      client.readEvents({ params: { sessionId: id }, query: { after: revision, limit: 500 } }),
    );
    console.log(`a poll that brings nothing, at ${size} events more: ${byTag} ms by ETag, ${byAfter} ms by after (aim: flat)`);
  }
  await service.close();
}

async function timePolls(poll: () => Promise<unknown>): Promise<string> {
  const waits: number[] = [];
  for (let count = 0; count < 100; count++) {
    const start = performance.now();
    await poll();
    waits.push(performance.now() - start);
  }
  return at(
    waits.toSorted((one, other) => one - other),
    0.5,
  );
}

/** A long timeline without our extension, read whole: time against JSON.parse of the same bytes, and what it takes of memory. */
async function measureReading(): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url));
  const [{ port, parsing, size }] = (await once(server, "message")) as [{ port: number; parsing: number; size: number }];
  const client = makeTestClient(makeNetwork({}).send, { baseUrl: `http://127.0.0.1:${port}` });
  const before = process.memoryUsage.rss();
  const start = performance.now();
  let [count, most, updates] = [0, 0, 0];
  for await (const item of watch(client, "ses_1")) {
    if (item.kind !== "events") continue;
    count += item.items.length;
    // To ask for it takes as long as some of what is measured.
    if (updates++ % 20 === 0) most = Math.max(most, process.memoryUsage.rss());
    if (count === events) break;
  }
  const took = performance.now() - start;
  console.log(
    `${events} events, ${megabytes(size)} MB: ${(took / parsing).toFixed(1)}× JSON.parse (aim 3×), ` +
      `${megabytes(most)} MB resident, ${megabytes(before)} before (aim 200 MB)`,
  );
  server.kill();
}

function watch(client: Client, sessionId: string): ReturnType<typeof follow> {
  const random = (length: number) => new Uint8Array(length);
  const signal = new AbortController().signal;
  return follow({ client, sessionId, clock: systemClock, random, makeSpool: systemFiles.makeSpool, signal, until: "never" });
}

/** A service of the seed alone, in a process of its own so that the reader's memory is the reader's. */
async function serveLongTimeline(): Promise<void> {
  process.once("disconnect", () => process.exit());
  const made = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const event = (index: number) => ({
    id: `evt_${index}`,
    session_id: "ses_1",
    type: "agent_message",
    payload: { type: "agent_message", message: "x".repeat(240) },
    status: "completed",
    client_id: "",
    session_goal_id: "",
    session_task_id: "",
    created_at: made(index),
    updated_at: made(index),
  });
  const text = JSON.stringify(Array.from({ length: events }, (_, index) => event(index)));
  const body = Buffer.from(text);
  const start = performance.now();
  JSON.parse(text);
  const parsing = performance.now() - start;
  const server = http.createServer((incoming, outgoing) => {
    if (incoming.url === "/api/v1/sessions/ses_1/events") outgoing.end(body);
    else if (incoming.url === "/api/v1/sessions/ses_1") outgoing.end('{"id":"ses_1","status":"active","agent_status":"working"}');
    else outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.send?.({ port: (server.address() as AddressInfo).port, parsing, size: body.length });
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
