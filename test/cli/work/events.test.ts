import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import type { Output } from "../../../src/host/host.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let service: SeedService;
let world: World;
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  service.sessions.push({ id: "ses_1", status: "finished", created_at: "2026-01-01T00:00:00.000Z" });
});
afterEach(() => world.dispose());

const said = (id: string, message: string) => ({ id, type: "agent_message", payload: { type: "agent_message", message } });

test.each(["events", "events --json", "tail --until end"])(
  "%s: Ctrl-C ends a timeline that is all there and long",
  async (line) => {
    const [verb = "", ...options] = line.split(" ");
    service.events.set(
      "ses_1",
      Array.from({ length: 400 }, (_, at) => said(`evt_${at}`, "x".repeat(5000))),
    );
    let writes = 0;
    const { terminal } = world;
    const stdout: Output = {
      ...terminal.stdout,
      write: async () => {
        if (writes++ === 0) world.interrupt();
      },
    };
    const host = { ...world.host, terminal: { ...terminal, stdout } };
    expect({ code: await run([verb, "ses_1", ...options], host), writes }).toEqual({ code: 130, writes: 1 });
  },
);
