import Sqlite from "libsql";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";
import { makeProgram, type Program } from "../support/program.ts";
import { ada, session } from "../support/records.ts";
import { eventsOf } from "../support/events-of.ts";

let folder: string;
let writer: Program;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-kill-"));
  writer = await makeProgram("support/store-writer.ts");
});
afterAll(async () => {
  await writer.remove();
  await rm(folder, { recursive: true });
});

test("kill -9 in the middle of writing loses nothing that was acknowledged", async () => {
  const path = join(folder, "ferry.db");
  await prepare(path);
  const acknowledged: string[] = [];
  for (const [run, enough] of [1, 60, 200].entries()) acknowledged.push(...(await writeAndKill(path, run, enough)));

  const store = await openSqlStore(openSqlite(path), () => ({ id: "wsp_2", name: "other" }));
  const events = await eventsOf(store, "ses_1");
  await store.close();
  const stored = new Set(events.map(({ id }) => id));
  expect(acknowledged.length).toBeGreaterThan(260);
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  // One event of each run may have been written and not yet said.
  expect(stored.size - acknowledged.length).toBeLessThanOrEqual(3);
  expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index + 1));
  const database = new Sqlite(path);
  expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
});

/** Lets the writer acknowledge some events, kills it, and gives all that it had acknowledged by then. */
async function writeAndKill(path: string, run: number, enough: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer.path, path, "ses_1", String(run)], { stdio: ["ignore", "pipe", "inherit"] });
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    lines += chunk.toString().split("\n").length - 1;
    if (lines >= enough) child.kill("SIGKILL");
  });
  const said = await text(child.stdout);
  return said.split("\n").slice(0, -1);
}

async function prepare(path: string): Promise<void> {
  const store = await openSqlStore(openSqlite(path), () => ({ id: "wsp_1", name: "local" }));
  await store.keys.insertUser(ada);
  await store.sessions.insert(session(1));
  await store.close();
}
