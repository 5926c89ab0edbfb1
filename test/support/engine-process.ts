// The session engine as a program of its own, for tests that kill it: posts messages, and says on stdout what is acknowledged.
import { makeTestEngine } from "./engine.ts";

const [data = "", path = "", base = "", ...messages] = process.argv.slice(2);
const engine = await makeTestEngine({ data });
const session = await engine.start(await engine.register(path), { base_commit: base });
console.log(session.id);
for (const message of messages) console.log((await engine.post(session, message)).id);
