// Appends to a session's timeline until it is killed, and says each id after the store has acknowledged it.
import { writeSync } from "node:fs";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";

const [, , path = "", sessionId = "", run = ""] = process.argv;
const store = await openSqlStore(openSqlite(path), () => ({ id: "wsp_1", name: "local" }));
for (let number = 1; ; number++) {
  const id = `evt_${run}_${number}`;
  const at = new Date(0).toISOString();
  await store.timeline.append(sessionId, {
    id,
    payload: { type: "agent_message", message: "x".repeat(number % 5000) },
    status: "completed",
    at,
  });
  // Synchronous: what stands in the pipe was acknowledged, whenever the kill comes.
  writeSync(1, `${id}\n`);
}
