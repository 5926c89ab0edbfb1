import { afterAll, expect, test } from "vitest";
import { refuseInTurn } from "../../../src/cli/commands/service/stop.ts";
import { json } from "../../support/login-server.ts";
import { makeWorld } from "../../support/world.ts";

const world = makeWorld();
afterAll(() => world.dispose());

const waits = "answer what is asked (ferry say --session SESSION TEXT)";
const works = "wait for them (ferry session wait SESSION)";

test.each([
  [["working"], "1 session is at work", works],
  [["waiting_for_user"], "1 session waits for you", waits],
  [["waiting_for_user", "idle", "waiting_for_user"], "2 sessions wait for you", waits],
  [["waiting_for_user", "working"], "1 session is at work and 1 session waits for you", `${works}, ${waits}`],
])("a service's end says of sessions in a turn, %j, what they are at", async (states, says, ways) => {
  const items = states.map((agent_status, at) => ({ id: `ses_${at}`, title: "t", status: "active", agent_status }));
  world.services.set("/socket", async () => json(200, { items, next_cursor: null }));
  const service = {
    ...{ pid: 1, socket: "/socket", version: "1", origin: "o", key: { value: "k", source: "test" } },
    ...{ portal: undefined, agent: undefined, sandbox: undefined, models: undefined, signInLink: undefined },
  };
  await expect(refuseInTurn(world.host, service)).rejects.toMatchObject({
    kind: "attention",
    message: `${says}, and would be cut short`,
    details: items.filter(({ agent_status }) => agent_status !== "idle").map(({ id }) => `${id}\tt`),
    hint: `${ways}, or do it all the same with --yes`,
  });
});
