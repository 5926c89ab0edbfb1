import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectAgent } from "../../src/service/agent/acp.ts";
import type { Agent, AgentChange } from "../../src/service/agent/agent.ts";
import { agentsWith } from "../../src/service/agent/agents.ts";
import type { Sandbox } from "../../src/service/sandbox/driver.ts";
import { nodeMount } from "../../src/service/sandbox/node-mount.ts";
import { makeDrivers } from "../../src/service/sandbox/registry.ts";
import { makeFolder } from "../support/git.ts";
import { machine, specIn } from "../support/sandbox.ts";

/** The bundles that users get; the test run has built them. */
const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** What to say to each agent so that it does what the suite asks for. */
const scripts: Readonly<Record<string, { works: string; fails: string; reason: RegExp; hangs: string }>> = {
  shell: {
    works: "echo hello",
    fails: "echo bye; exit 3",
    reason: /exit status 3$/u,
    hangs: "echo started; setsid sleep 1000 & sleep 1000",
  },
};

/** Those that are built in; what users install has its own suite, `npm run test:agents`. */
const builtIn = agentsWith([]).filter(({ name }) => name in scripts);

const nothing = () => Promise.resolve(undefined);

describe.each(builtIn)("the agent $name", (definition) => {
  const { name } = definition;
  const script = scripts[name];
  let folder: ReturnType<typeof makeFolder>;
  let sandbox: Sandbox;
  let agent: Agent;

  beforeEach(async () => {
    folder = makeFolder();
    const node = await nodeMount(process.execPath);
    const launch = await definition.launch(
      { dist, node, find: nothing, secret: nothing, permissions: () => Promise.resolve("allow") },
      "",
    );
    const driver = makeDrivers(machine).find((candidate) => candidate.name === "process");
    if (driver === undefined) throw new Error("no driver");
    sandbox = await driver.create(specIn(`${folder.path}/sandboxes`, { mounts: launch.mounts, env: launch.env }));
    const child = await sandbox.spawn(launch.argv, { cwd: sandbox.workspace });
    agent = await connectAgent(child, {
      name,
      cwd: sandbox.workspace,
      repositoryId: "rep_1",
      version: "0",
      wishes: launch.protocol,
      permissions: () => Promise.resolve("allow"),
    });
  });

  afterEach(async () => {
    await sandbox.destroy();
    folder.remove();
  });

  const noted = async (text = "") => {
    const changes: AgentChange[] = [];
    const end = agent.prompt(text, (change) => void changes.push(change), nothing);
    return { changes, end: await end };
  };
  const commands = (changes: readonly AgentChange[]) =>
    changes.flatMap((change) =>
      change.type === "event" && change.payload.type === "agent_run_repository_command" ? [change] : [],
    );

  test("runs a command, tells of it, and is ready for the next message", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const { changes, end } = await noted(script?.works);
      expect(end).toEqual({ outcome: "completed", remark: "" });
      const told = commands(changes);
      expect(new Set(told.map(({ key }) => key)).size).toBe(1);
      expect(told.at(-1)).toMatchObject({ done: true, payload: { output: "hello\n", exit_code: 0 } });
      expect(changes.at(-1)).toEqual({ type: "worked" });
    }
  });

  test("tells why a turn failed, and what it did until then", async () => {
    const changes: AgentChange[] = [];
    await expect(agent.prompt(script?.fails ?? "", (change) => void changes.push(change), nothing)).rejects.toThrow(
      script?.reason,
    );
    expect(commands(changes).at(-1)).toMatchObject({ done: true, payload: { output: "bye\n", exit_code: 3 } });
  });

  test("ends a turn as canceled when it is asked to", async () => {
    let cancel: Promise<void> | undefined;
    const end = await agent.prompt(
      script?.hangs ?? "",
      (change) => {
        if (commands([change]).some(({ payload }) => "output" in payload && payload.output === "started\n"))
          cancel ??= agent.cancel();
      },
      nothing,
    );
    await cancel;
    expect(end.outcome).toBe("canceled");
  });
});
