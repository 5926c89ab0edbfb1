import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../support/ferry.ts";
import { answer, type Json, makeSeedService, type SeedService } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";

const url = "https://agents.example.com";

// A service whose lists have pages, and that calls what the next one is asked for by otherwise than ferry does.
let world: World;
let service: SeedService;
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, TOKEN: "glpat-1" } });
  world.services.set(url, async (request) => {
    const { pathname } = new URL(request.url);
    const isList = request.method === "GET" && /\/(?:sessions|repositories|code-providers)$/u.test(pathname);
    const sent = await service.send({ ...request, url: request.url.replace(/[?&]limit=\d+/u, "") });
    if (!isList || sent.status !== 200) return sent;
    const chunks: Uint8Array[] = [];
    for await (const chunk of sent.body) chunks.push(chunk);
    return answer(200, { ...(JSON.parse(Buffer.concat(chunks).toString()) as Json), next_cursor: "n1" });
  });
  service.providers.push({ id: "p1", name: "work", platform: "gitlab", base_url: "https://x.example", metadata: {} });
  service.repositories.push({ id: "r1", full_name: "acme/shop", clone_url: "https://x.example/acme/shop.git" });
  for (const [at, branch] of ["fix/a", "fix/b"].entries())
    service.sessions.push({
      id: `s${at}`,
      branch_name: branch,
      status: "active",
      agent_status: "idle",
      created_at: `2026-01-0${at + 1}T00:00:00Z`,
    });
});
afterEach(() => world.dispose());

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next(), ...argv);
const what = "agents.example.com gives a list's first page, and refuses `cursor`, by which the rest is asked for";

describe("a list shows what came, and fails, since it isn't all: by the service's doing", () => {
  test.each([
    ["session", "sessions", ["s1", "s0"]],
    ["repo", "repositories", ["r1"]],
    ["provider", "code-providers", ["p1"]],
  ])("%s list", async (noun, path, ids) => {
    const { code, stdout, stderr } = await call(noun, "list", "--json");
    expect((JSON.parse(stdout) as Json[]).map(({ id }) => id)).toEqual(ids);
    expect({ code, error: (JSON.parse(stderr) as Json)["error"] }).toMatchObject({
      code: 1,
      error: {
        kind: "failure",
        message: `this is not all: ${what} (unknown parameter cursor)`,
        hint: `ask for the rest by the service's own name for it: ferry api GET "/api/v1/${path}?NAME=CURSOR"`,
      },
    });
  });

  test("a limit that is reached before wants no more", async () => {
    expect(await call("repo", "list", "--limit", "1")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("there is more than this one") as string,
    });
  });

  test("api --paginate", async () => {
    const { code, stdout, stderr } = await call("api", "GET", "repositories", "--paginate");
    expect({ code, ids: (JSON.parse(stdout) as Json[]).map(({ id }) => id) }).toEqual({ code: 1, ids: ["r1"] });
    expect(stderr).toContain("this is not all: agents.example.com refuses `cursor`");
  });
});

test.each([
  ["session", "view", "fix/a"],
  ["session", "view", "-"],
  ["repo", "view", "acme/shop"],
  ["provider", "view", "work"],
])("%s %s %s works over what came, and says that there may be more", async (...argv) => {
  expect(await call(...argv)).toMatchObject({ code: 0, stderr: `${what}: only what is on that page is known\n` });
});
