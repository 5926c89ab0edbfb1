import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../src/service/agent/acp.ts";
import { logConsole } from "../../src/service/running/console-log.ts";
import { makeLog } from "../../src/service/log.ts";
import { makeTestClock } from "../support/clock.ts";
import { driverNamed } from "../support/engine.ts";
import { specIn, withRoot } from "../support/sandbox.ts";
import { makeServicePlace, type ServicePlace } from "../support/service-host.ts";

let place: ServicePlace;
beforeEach(async () => {
  place = await makeServicePlace();
});
afterEach(() => place.leave());

const printed = (): string[] => place.log.filter((line) => line.includes('"console'));

/** It answers what nobody asked, and tells what is no update, in between of what it should. */
const noisy = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const answers = { initialize: { protocolVersion: 1, agentCapabilities: {} }, "session/new": { sessionId: "s" }, "session/prompt": { stopReason: "end_turn" } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  for (let at = 0; at < 300; at++) {
    send({ id: "\\u001b]0;title\\u0007" + "x".repeat(5000), result: at });
    send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "none" } } });
  }
  send({ id, result: answers[method] });
});`;

test("what an agent makes the library of its protocol print ends in the log, and only so much of it", async () => {
  const service = await place.run();
  await withRoot(async (root) => {
    const sandbox = await driverNamed("process").create(specIn(root));
    const child = await sandbox.spawn([process.execPath, "-e", noisy]);
    const wishes = { authMethod: "", mode: "", model: "" };
    const options = { name: "noisy", cwd: sandbox.workspace, repositoryId: "rep_1", version: "0", wishes };
    const agent = await connectAgent(child, { ...options, permissions: () => Promise.resolve("allow") });
    const nobody = () => Promise.resolve(undefined);
    expect(await agent.prompt("x", () => undefined, nobody)).toEqual({ outcome: "completed", remark: "" });
    await sandbox.destroy();
  });
  const lines = printed();
  expect(lines).toHaveLength(51);
  expect(lines.join("")).not.toMatch(/\\u001b|x{400}/u);
  expect(lines.at(-1)).toContain("not logged for an hour");
  await service.stop();
});

test("when the service has stopped the console is as it was", async () => {
  const before = console.error;
  const service = await place.run();
  expect(console.error).not.toBe(before);
  await service.stop();
  expect(console.error).toBe(before);
});

test("an hour later there is room again", () => {
  const clock = makeTestClock();
  const lines: string[] = [];
  const tell = logConsole(
    makeLog((line) => lines.push(line), clock),
    clock,
  );
  for (let at = 0; at < 60; at += 1) tell("x");
  expect(lines).toHaveLength(51);
  clock.advance(3_600_000);
  tell("later");
  expect(lines.at(-1)).toContain("later");
});
