import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "../../src/client/client.ts";
import { follow } from "../../src/client/follow.ts";
import { systemClock } from "../../src/host/clock.ts";
import { systemFiles } from "../../src/host/files.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { listen } from "../../src/service/listen.ts";
import { makeTestClient } from "../support/client.ts";
import { makeTestService } from "../support/service.ts";

const events = 200_000;
const turns = 300;

if (process.send === undefined) {
  if (process.argv[2] !== "read") await measureLatency();
  await measureReading();
} else await serveLongTimeline();

/** From the moment that the service has stored an event to the moment that a follower has it, over a socket. */
async function measureLatency(): Promise<void> {
  const service = await makeTestService();
  const folder = await mkdtemp(join(tmpdir(), "ferry-bench-"));
  const listener = await listen(service.app, { socket: join(folder, "s") }, systemClock);
  const client = makeTestClient(makeNetwork({}).overSocket(join(folder, "s")), {
    key: { value: service.key, source: "the bench" },
  });
  await client.createRepository({ body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  const { id } = await client.createSession({ body: { message: "go" } });
  const waits: number[] = [];
  let stored = 0;
  for await (const item of watch(client, id)) {
    if (item.kind === "event" && item.event.type === "agent_message") waits.push(performance.now() - stored);
    else if (item.kind !== "source") continue;
    if (waits.length === turns) break;
    const turn = service.sessions.finishTurn(id, "done");
    stored = performance.now();
    await turn;
  }
  const sorted = waits.toSorted((one, other) => one - other);
  console.log(
    `an event, from the service to its follower: p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms (aim p99 50 ms)`,
  );
  await listener.close();
  await service.close();
  await rm(folder, { recursive: true });
}

/** A long timeline without our extension, read whole: time against JSON.parse of the same bytes, and what it takes of memory. */
async function measureReading(): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url));
  const [{ port, parsing, size }] = (await once(server, "message")) as [{ port: number; parsing: number; size: number }];
  const client = makeTestClient(makeNetwork({}).send, { baseUrl: `http://127.0.0.1:${port}` });
  const before = process.memoryUsage.rss();
  const start = performance.now();
  let [count, most] = [0, 0];
  for await (const item of watch(client, "ses_1")) {
    if (item.kind !== "event") continue;
    if (++count % 5000 === 0) most = Math.max(most, process.memoryUsage.rss());
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
