import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import { makeContext } from "../../../src/cli/context.ts";
import { sendToLocal } from "../../../src/cli/flows/local/revive.ts";
import type { Send } from "../../../src/host/host.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeScriptedSend } from "../../support/scripted-send.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let data: string;
beforeEach(async () => {
  world = makeWorld();
  data = join(world.folder, "data");
  await mkdir(join(world.folder, "run"), { mode: 0o700 });
  await mkdir(data, { mode: 0o700 });
});
afterEach(() => world.dispose());

/** What a service that runs leaves for its clients, as this very process. */
async function announce(socket: string, started?: string): Promise<void> {
  const start_time = started ?? (await world.host.processes.startTime(process.pid));
  await writeFile(
    join(data, "service.json"),
    JSON.stringify({ pid: process.pid, start_time, socket, version: "0.1.0", portal_address: null }),
  );
  for (const name of ["key", "origin"]) {
    await writeFile(join(data, name), name);
    await chmod(join(data, name), 0o600);
  }
}

const gone =
  (sent: boolean): Send =>
  async () => {
    throw new NoAnswerError("gone", { sent, code: "ECONNREFUSED" });
  };
const request = { method: "GET", url: "http://localhost/x", headers: {} };

function begin(first: Send): Send {
  const socket = join(world.folder, "run", "first");
  world.services.set(socket, first);
  const options = {
    json: false,
    showSecrets: false,
    quiet: false,
    verbose: false,
    input: true,
    color: "auto",
    yes: false,
  } as const;
  const service = {
    pid: 1,
    socket,
    version: "0.1.0",
    portal: undefined,
    agent: undefined,
    sandbox: undefined,
    models: undefined,
    signInLink: undefined,
    origin: "o",
    key: { value: "k", source: "a test" },
  };
  return sendToLocal(makeContext({ ...world.host, clock: makeIdleClock() }, options), service);
}

test("one that took its place is asked from then on", async () => {
  const next = makeScriptedSend({ body: "one" }, { body: "two" });
  const socket = join(world.folder, "run", "second");
  world.services.set(socket, next.send);
  const send = begin(gone(false));
  await announce(socket);
  await send(request);
  world.services.set(join(world.folder, "run", "first"), makeScriptedSend().send);
  await send(request);
  expect(next.asked).toHaveLength(2);
});

test("one that was stopped stays so", async () => {
  const send = begin(gone(false));
  await expect(send(request)).rejects.toMatchObject({
    kind: "unavailable",
    code: "gone",
    message: "the embedded service was stopped",
  });
});

test("one that crashed is started again", async () => {
  await announce(join(world.folder, "run", "first"), "of a process that had this pid before");
  // The world refuses a process that nobody expects: that it was asked for is what matters here.
  await expect(begin(gone(false))(request)).rejects.toThrow(/unexpected: a detached .*ferry.js serve/);
});

test("what may have arrived is left to the caller", async () => {
  await expect(begin(gone(true))(request)).rejects.toMatchObject({ message: "gone", sent: true });
});
