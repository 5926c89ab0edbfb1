import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { answer, makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

// Of a service that has fields and statuses of its own.
let world: World;
let service: SeedService;
beforeEach(() => {
  service = makeSeedService({ bare: true });
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(() => world.dispose());

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next(), ...argv);

test("a computed field that was asked for has a column of its own, and none is told", async () => {
  service.sessions.push({ id: "1", mr_pipeline_summary: { state: "passed" } }, { id: "2", mr_pipeline_summary: "none" });
  const { stdout } = await call("session", "list", "--include", "mr_pipeline_summary");
  expect(stdout.split("\n").map((line) => line.split("\t").at(-1))).toEqual(['{"state":"passed"}', "none", ""]);
  expect((await call("session", "list", "--include", "weather")).stderr).toBe("no session here has weather\n");
  expect(await call("session", "list", "--include", "weather", "--fields", "id,weather")).toMatchObject({
    code: 0,
    stdout: '[{"id":"1","weather":null},{"id":"2","weather":null}]\n',
  });
  expect((await call("session", "list", "--include", "weather", "--fields", "id,whether")).code).toBe(2);
});

test.each(["takes the filter", "refuses the filter", "takes no notice of the filter"])(
  "a status that no session has, where the service %s",
  async (does) => {
    service.sessions.push({ id: "1", status: "active" });
    world.services.set(url, (request) => {
      const { origin, pathname, search } = new URL(request.url);
      if (!search.includes("status=") || does === "refuses the filter") return service.send(request);
      if (does === "takes the filter" && search.includes("status=paused")) return Promise.resolve(answer(200, []));
      return service.send({ ...request, url: origin + pathname });
    });
    const { code, stdout, stderr } = await call("session", "list", "--status", "paused", "--json");
    if (does === "takes the filter")
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "[]\n", stderr: "no session has the status paused now\n" });
    else
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("there is no status paused") as string,
      });
  },
);
