import { afterEach, beforeEach, expect, test } from "vitest";
import { theOneNamed } from "../../../src/cli/flows/named.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let world: World;
let service: SeedService;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(() => world.dispose());

const things = [
  { id: "prv_2b4h2k9x", name: "work" },
  { id: "prv_77777777", name: "prv_2b4h2k9x" },
  { id: "prv_88888888", name: "gitlab" },
  { id: "prv_88889999", name: null },
];

function named(given: string, all: readonly { id: string; name: string | null }[] = things) {
  const called = all.filter(({ name }) => name === given);
  const sort = { one: "provider", several: "providers", noun: "provider" };
  return theOneNamed(given, { all, called, about: ({ name }) => [name] }, sort, { name: "s.example", argument: "" });
}

test("an id names a thing, also where another one is called so, else what it is called", () => {
  expect(named("prv_2b4h2k9x")).toBe(things[0]);
  expect(named("gitlab")).toBe(things[2]);
});

test.each([
  ["prv_2b4h", "did you mean prv_2b4h2k9x?"],
  ["2b4h…2k9x", "did you mean prv_2b4h2k9x?"],
  ["8888", "did you mean prv_88888888 or prv_88889999?"],
  ["gitlav", "did you mean gitlab?"],
  ["p", "ferry provider list"],
  ["prv_", "did you mean prv_2b4h2k9x?"],
])("%s names none; what may have been meant is said", (given, hint) => {
  expect(() => named(given)).toThrow(
    expect.objectContaining({ kind: "not_found", message: `s.example has no provider ${given}`, hint }) as Error,
  );
});

test("what is deleted twice deletes nothing else, whatever begins so", async () => {
  for (const [list, noun] of [
    [service.providers, "provider"],
    [service.repositories, "repo"],
  ] as const) {
    list.push({ id: "p4h2", name: "x", full_name: "x" }, { id: "p4h2k9x", name: "work", full_name: "work" });
    expect((await ferry(world.next(), noun, "delete", "p4h2", "-y")).code).toBe(0);
    const again = await ferry(world.next(), noun, "delete", "p4h2", "-y");
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining("hint: did you mean p4h2k9x?\n") as string });
    expect(list.map(({ id }) => id)).toEqual(["p4h2k9x"]);
  }
});
