import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { findMembers } from "../../../src/service/sandbox/processes/members.ts";
import { makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { defaultLimits, type SessionLimits } from "../../../src/service/session/deps.ts";
import { layout } from "../../../src/service/session/repository/layout.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { machine } from "../../support/sandbox.ts";
import { scriptedAgent } from "../../support/scripted-agent.ts";

const hour = 3_600_000;

for (const candidate of makeDrivers(machine)) {
  const { name } = candidate;
  const { works, reason } = await candidate.probe();
  describe.skipIf(!works)(works ? name : `${name} (skipped here: ${reason})`, () => {
    let folder: ReturnType<typeof makeFolder>;
    let engine: TestEngine;
    let session: Session;
    /** By how much the clock is ahead of the machine's, in ms. */
    let ahead: number;
    const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + ahead };

    beforeEach(() => {
      folder = makeFolder();
      ahead = 0;
    });
    afterEach(async () => {
      await engine.close();
      folder.remove();
    });

    async function begin(limits: Partial<SessionLimits> = {}): Promise<void> {
      const git = makeRepository(folder.path);
      const base = commitFiles(git, { "README.md": "hello\n" }, "first");
      const driver = makeDrivers({ ...machine, clock }).find((other) => other.name === name);
      const sandbox = { ...defaultLimits.sandbox, memoryMB: 1024, wall: hour };
      engine = await makeTestEngine({
        driver: driver ?? name,
        clock,
        limits: { sandbox, ...limits },
        ...scriptedAgent(folder.path, false),
      });
      session = await engine.start(await engine.register(folder.path), { base_commit: base, model: "claude" });
    }

    const living = () => findMembers({ roots: [], labelled: layout.sandboxes(engine.data) });
    const system = async () =>
      (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
    const left = "setsid sleep 1000 & sleep 1000 & :";

    test("a sandbox that is idle for its time ends with all that still runs in it, and its work stays", async () => {
      await begin({ idle: 1 });
      await engine.post(session, `run echo kept > kept; ${left}`);
      await engine.until(
        session,
        (item) => item.type === "session" && item.session.agent_status === "idle" && item.session.sandbox_id === undefined,
      );
      expect(living()).toEqual([]);
      await engine.work(session, "run cat kept && touch found");
      expect((await engine.events(session)).map(({ type }) => type)).toContain("agent_file_create");
    });

    test("a sandbox that reaches its age in a turn ends with all that runs in it; the work stays, and the next message has another", async () => {
      await begin();
      await engine.work(session, `run echo kept > kept; ${left}`);
      await engine.post(session, "hang");
      await engine.until(session, (item) => item.type === "session_event" && item.event.type === "agent_run_repository_command");
      expect(living().length).toBeGreaterThan(0);
      ahead = 2 * hour;
      await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "failed");
      expect(living()).toEqual([]);
      expect((await system()).at(-1)).toContain("the sandbox reached its limit (wall)");
      expect(await engine.work(session, "run cat kept")).toMatchObject({ agent_status: "idle" });
    });

    test("one that reached it at rest is no obstacle to the next message", async () => {
      await begin();
      const first = await engine.work(session, "run echo kept > kept");
      ahead = 2 * hour;
      await expect.poll(() => living().length, { timeout: 20_000 }).toBe(0);
      const next = await engine.work(session, "run cat kept");
      expect(next).toMatchObject({ agent_status: "idle" });
      expect(next.sandbox_id).not.toBe(first.sandbox_id);
    });
  });
}
