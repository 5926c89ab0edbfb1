import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import type { Output } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
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

describe.each([501, 20_000, 1_000_000])("an event that is nested %i levels deep", (levels) => {
  const nested = `{"id":"evt_b","type":"agent_message","payload":{"type":"agent_message","message":"deep","more":${"[".repeat(levels)}1${"]".repeat(levels)}}}`;
  const lines = [JSON.stringify(said("evt_a", "one")), nested, JSON.stringify(said("evt_c", "two"))];
  beforeEach(() => {
    world.services.set(url, async (request) => {
      if (!request.url.endsWith("/events")) return service.send(request);
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(`[${lines.join(",")}]`);
      }
      return { status: 200, headers: { "content-type": "application/json" }, body: body(), cancel: async () => undefined };
    });
  });

  test.each(["events ses_1", "tail ses_1 --until end", "message list ses_1"])("hides no other: %s", async (line) => {
    const { code, stdout, stderr } = await ferry(world, ...line.split(" "));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/one|deep|two/gu)).toEqual(["one", "deep", "two"]);
  });

  test.each(["events ses_1 --json", "tail ses_1 --until end --json"])("comes as it came: %s", async (line) => {
    expect(await ferry(world, ...line.split(" "))).toEqual({ code: 0, stdout: `${lines.join("\n")}\n`, stderr: "" });
  });

  test.each([
    ["--jq .payload.message", "one\ndeep\ntwo\n"],
    ["--fields id", ["a", "b", "c"].map((id) => `{"id":"evt_${id}"}\n`).join("")],
  ])("can be picked from by %s", async (options, stdout) => {
    expect(await ferry(world, "events", "ses_1", ...options.split(" "))).toEqual({ code: 0, stdout, stderr: "" });
  });
});
