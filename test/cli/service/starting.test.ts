import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeContext } from "../../../src/cli/context.ts";
import { ensureLocal } from "../../../src/cli/flows/local/start.ts";
import type { Host } from "../../../src/host/host.ts";
import { collect, makeBinary } from "../../support/binary.ts";
import { makeWorld } from "../../support/world.ts";

const flags = { json: false, color: "never", input: true, verbose: false, quiet: false, yes: false, showSecrets: false } as const;

/** A start of a service that never answers: its process, with 42, lives until `end` ms. Gives what is said, and when. */
async function startOf(end: number): Promise<{ at: number; said: string; error: unknown }> {
  const world = makeWorld();
  onTestFinished(() => world.dispose());
  const { clock, processes } = world.host;
  const begin = clock.elapsed();
  let ahead = 0;
  const host: Host = {
    ...world.host,
    clock: { ...clock, elapsed: () => begin + ahead, sleep: (ms) => Promise.resolve(void (ahead += ms)) },
    processes: {
      ...processes,
      detach: () => Promise.resolve(42),
      startTime: (pid) => (pid === 42 ? Promise.resolve(ahead < end ? "then" : undefined) : processes.startTime(pid)),
    },
  };
  const error: unknown = await ensureLocal(makeContext(host, flags)).catch((thrown: unknown) => thrown);
  return { at: ahead, said: world.terminal.written.stderr, error };
}

test("a service whose process lives is waited for, however long what it puts in order takes, up to two minutes; that is said", async () => {
  const { at, said, error } = await startOf(Infinity);
  expect({ at, error }).toMatchObject({ at: 120_000, error: { message: "the embedded service (process 42) is still starting" } });
  expect(said).toMatch(
    /^starting the embedded service \(its data: .*\)\nwaiting for the embedded service \(process 42\), which puts in order what an earlier one left\n$/u,
  );
});

test("one that ends is waited for no longer", async () => {
  const { at, error } = await startOf(40_000);
  expect({ at, error }).toMatchObject({
    at: 40_000,
    error: { message: "the embedded service did not start: it said nothing" },
  });
});

test("one that starts already is waited for, and where it ends instead another is started", async () => {
  const ferry = makeBinary();
  onTestFinished(() => ferry.dispose());
  const starting = spawn("sleep", ["1000"]);
  const pid = starting.pid ?? 0;
  const world = makeWorld();
  onTestFinished(() => world.dispose());
  mkdirSync(join(ferry.folder, "data"), { mode: 0o700, recursive: true });
  const lock = JSON.stringify({ pid, start_time: await world.host.processes.startTime(pid) });
  writeFileSync(join(ferry.folder, "data", "service.lock"), lock);
  const start = ferry.start(["service", "start", "--sandbox", "process"]);
  start.stderr?.once("data", () => starting.kill("SIGKILL"));
  const { code, stderr } = await collect(start);
  expect(stderr).toMatch(
    new RegExp(
      `^the embedded service \\(process ${pid}\\) is about to start or to end: waiting for it\nstarting the embedded service .*\nthe embedded service runs `,
      "u",
    ),
  );
  expect(code).toBe(0);
});
