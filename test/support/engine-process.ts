// The session engine as a program of its own, for tests that kill it: posts messages and says on stdout what is acknowledged, and
// then each line that a command printed, when it is on disk.
import { makeTestEngine } from "./engine.ts";
import type { EngineWork } from "./engine-child.ts";

const { options, path, session: fields, messages } = JSON.parse(process.argv[2] ?? "") as EngineWork;
const engine = await makeTestEngine(options);
const session = await engine.start(await engine.register(path), fields);
console.log(session.id);
for (const message of messages) console.log((await engine.post(session, message)).id);
await engine.until(session, (item) => {
  if (item.type === "session_event" && item.event.type === "agent_run_repository_command") console.log(item.event.payload.output);
  return false;
});
