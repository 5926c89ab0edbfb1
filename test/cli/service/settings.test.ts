import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeBinary, type Binary } from "../../support/binary.ts";
import { commitFiles, makeRepository } from "../../support/git.ts";

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

/** An agent that asks permission in each turn, and says what it was told. */
const asking = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const hello = { initialize: { protocolVersion: 1, agentCapabilities: {} }, "session/new": { sessionId: "s" } };
let prompt;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method in hello) return send({ id, result: hello[method] });
  if (method === "session/prompt") {
    prompt = id;
    const options = [["yes", "allow_once"], ["no", "reject_once"]].map(([name, kind]) => ({ optionId: name, kind, name }));
    send({ id: 99, method: "session/request_permission", params: { sessionId: "s", toolCall: { toolCallId: "t", title: "it" }, options } });
  }
  if (id !== 99) return;
  const text = "told " + result.outcome.optionId;
  send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
  send({ id: prompt, result: { stopReason: "end_turn" } });
});`;

test("agent_permissions holds at once for the service that runs, and its agents; its own environment wins", async () => {
  const program = join(ferry.folder, "asking.cjs");
  writeFileSync(program, asking);
  const { folder: cwd } = commitAll();
  await ferry.run(["config", "set", "agents.asker.command", `node ${program}`]);
  await ferry.run(["config", "set", "agents.asker.env", "LANG"]);
  await ferry.run(["service", "start", "--sandbox", "process"]);
  const begun = await ferry.run(["run", "--host", "local", "--model", "asker", "--pull", "none", "go"], { cwd });
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining("told yes") as string });

  expect(await ferry.run(["config", "set", "agent_permissions", "ask"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "agent_permissions is ask\n",
  });
  // The same agent, which runs on.
  await ferry.run(["say", "again"], { cwd });
  expect((await ferry.run(["tail", "--until", "idle"], { cwd })).stdout).toContain("May the agent do this? it");
  // A number that no option has would be taken for a no.
  expect(await ferry.run(["say", "3"], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("hint: it has options 1 to 2;") as string,
  });
  const asked = await ferry.run(["run", "--host", "local", "--model", "asker", "go"], { cwd });
  expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("\nferry: the agent asks you something\n") as string });
  // It may not have begun: that it has made nothing yet is no news.
  expect(asked.stderr).not.toContain("nothing new");
  await ferry.run(["service", "stop", "--yes"]);

  await ferry.run(["service", "start", "--sandbox", "process"], { env: { FERRY_AGENT_PERMISSIONS: "allow" } });
  const third = await ferry.run(["run", "--host", "local", "--model", "asker", "--pull", "none", "go"], { cwd });
  expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining("told yes") as string });
});

test("a key that the service takes only when it starts is told as one", async () => {
  const told = "the embedded service runs with the sandbox that it started with; it takes this one after: ferry service stop\n";
  expect((await ferry.run(["config", "set", "sandbox", "auto"])).stderr).toBe("sandbox is auto\n");
  await ferry.run(["service", "start", "--sandbox", "process"]);
  expect((await ferry.run(["config", "set", "sandbox", "bwrap"])).stderr).toBe(`sandbox is bwrap\n${told}`);
  expect((await ferry.run(["config", "unset", "sandbox"])).stderr).toBe(`sandbox is no longer set\n${told}`);
  expect((await ferry.run(["config", "unset", "sandbox"])).stderr).toBe("sandbox is no longer set\n");
  expect((await ferry.run(["config", "set", "credential_store", "file"])).stderr).not.toContain("ferry service stop");
});

function commitAll() {
  const repository = makeRepository(join(ferry.folder, "repository"));
  commitFiles(repository, { "a.txt": "a\n" }, "first");
  return repository;
}
