import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeSeedService, type Json, type SeedService } from "../../support/seed-service.ts";
import { makeTestService } from "../../support/service.ts";
import { makeWorld, type World, type WorldOptions } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
let repository: Json;
beforeEach(() => {
  service = makeSeedService();
  repository = { id: "r1", full_name: "acme/shop", clone_url: "https://x.example/acme/shop.git" };
  service.repositories.push(repository);
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, PAGER: "cat" } });
  world.services.set(url, service.send);
});
afterEach(() => world.dispose());

const call = (argv: readonly string[], options: WorldOptions = {}): Promise<FerryResult> =>
  ferry(world.next({}, options), "repo", ...argv);

describe("analyze", () => {
  /** At each look at the repository the next of `states` is what it is; the clock runs on by itself. */
  async function callWaiting(states: readonly Json[], ...argv: readonly string[]): Promise<FerryResult> {
    const coming = [...states];
    world.services.set(url, (request) => {
      if (request.method === "GET" && request.url.endsWith("/repositories/r1")) Object.assign(repository, coming.shift());
      return service.send(request);
    });
    const there = world.next();
    const code = await run(["repo", "analyze", "acme/shop", "--wait", ...argv], { ...there.host, clock: makeIdleClock() });
    const { stdout, stderr } = there.terminal.written;
    return { code, stdout, stderr };
  }

  test("starts one, and says where to look", async () => {
    expect(await call(["analyze", "acme/shop"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "the analysis of acme/shop has begun; look at it with: ferry repo analysis acme/shop\n",
    });
    expect(service.calls.at(-1)).toBe("POST /api/v1/repositories/r1/analyze");
    expect(JSON.parse((await call(["analyze", "acme/shop", "--json"])).stdout)).toEqual({ success: true, message: "started" });
  });

  test("one that the service doesn't start is exit 1", async () => {
    service.analyze = () => ({ success: false, message: "too large" });
    expect(await call(["analyze", "acme/shop"])).toMatchObject({
      code: 1,
      stderr: "ferry: acme/shop is not analyzed: too large\n",
    });
  });

  test("--wait goes on while it is pending or running, with the words of the seed or ours", async () => {
    const ours = await callWaiting([
      { analysis_status: "pending" },
      { analysis_status: "running" },
      { analysis_status: "completed", last_analyzed_at: "2026-01-01T00:00:00Z" },
    ]);
    expect(ours).toMatchObject({ code: 0, stderr: expect.stringContaining("is there") as string });
    const theirs = await callWaiting([{ analysis_status: "thinking" }, { last_analyzed_at: "2026-01-02T00:00:00Z" }], "--json");
    expect(theirs).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(theirs.stdout)).toMatchObject({ id: "r1", analysis_status: "thinking" });
  });

  test("the end of an earlier analysis isn't taken for this one's", async () => {
    Object.assign(repository, { analysis_status: "failed", analysis_error: "old" });
    expect(
      await callWaiting([{}, {}, { analysis_status: "pending" }, { analysis_status: "completed", analysis_error: "" }]),
    ).toMatchObject({
      code: 0,
    });
  });

  test("a failure is exit 1, and says why", async () => {
    const failed = { analysis_status: "failed", analysis_error: "no\u001b[31m space" };
    expect(await callWaiting([{ analysis_status: "running" }, failed])).toEqual({
      code: 1,
      stdout: "",
      stderr: "ferry: the analysis of acme/shop failed: no␛[31m space\n",
    });
  });

  test("--timeout is exit 8, and is of no use without --wait", async () => {
    expect(await callWaiting([{ analysis_status: "running" }], "--timeout", "90s")).toMatchObject({
      code: 8,
      stderr: "ferry: the analysis of acme/shop goes on\n  hint: look later: ferry repo view acme/shop\n",
    });
    expect((await call(["analyze", "acme/shop", "--timeout", "90s"])).code).toBe(2);
  });
});

describe("analysis", () => {
  const component = { repository_id: "r1", workspace_id: "w1", primary_folders: [], primary_files: [] };
  beforeEach(() => {
    service.analyses.set("r1", {
      metadata: {
        id: "a1",
        primary_languages: ["TypeScript"],
        languages: ["TypeScript", "SQL", "日本語"],
        frameworks: ["Hono"],
        databases: [],
        analyzed_commit_sha: "0123456789abcdef0123456789abcdef01234567",
        updated_at: "2025-12-31T00:00:00Z",
      },
      components: [
        {
          ...component,
          id: "c1",
          path: "api",
          primary_language: "TypeScript",
          languages: ["SQL"],
          primary_framework: "Hono",
          summary: "The HTTP interface of the shop, with carts, orders, payments and\u001b[2J all that belongs to them.",
        },
        { ...component, id: "c2", path: "web", primary_language: "TypeScript", summary: "" },
        { ...component, id: "c3", path: "words", languages: ["日本語"] },
      ],
    });
  });

  test("on a terminal languages are bars, and summaries are wrapped", async () => {
    const { stdout } = await call(["analysis", "acme/shop"], { tty: true, columns: 44 });
    expect(stdout).toBe(`languages:  TypeScript, SQL, 日本語
frameworks: Hono
libraries:  –
databases:  –
commit:     0123456789ab
analyzed:   1d ago

Components by language
TypeScript  ███████████████████▍           2
SQL         █████████▋                     1
日本語      █████████▋                     1

api  TypeScript, Hono
  The HTTP interface of the shop, with
  carts, orders, payments and␛[2J all that
  belongs to them.

web  TypeScript

words
`);
  });

  test("in a pipe the components are lines of tabs; JSON is as it came", async () => {
    const { stdout } = await call(["analysis", "acme/shop"]);
    expect(stdout.split("\n").slice(-4, -1)).toEqual([
      "api\tTypeScript\tHono\t\t\tThe HTTP interface of the shop, with carts, orders, payments and␛[2J all that belongs to them.",
      "web\tTypeScript\t\t\t\t",
      "words\t\t\t\t\t",
    ]);
    expect(JSON.parse((await call(["analysis", "r1", "--json"])).stdout)).toEqual(service.analyses.get("r1"));
    expect((await call(["analysis", "r1", "--jq", ".metadata.languages[1]"])).stdout).toBe("SQL\n");
  });

  test("one without components, and one that says nothing", async () => {
    service.analyses.set("r1", { metadata: { languages: ["Go"] }, components: null });
    expect((await call(["analysis", "r1"], { tty: true })).stdout).toContain("languages:  Go\n");
    service.analyses.set("r1", {});
    expect((await call(["analysis", "r1"])).stdout).toContain("languages:  –\n");
  });

  test("none yet: exit 5, with how to have one", async () => {
    service.analyses.clear();
    repository["analysis_status"] = "pending";
    expect(await call(["analysis", "acme/shop"])).toEqual({
      code: 5,
      stdout: "",
      stderr: "ferry: acme/shop has no analysis yet (pending)\n  hint: ferry repo analyze acme/shop --wait\n",
    });
  });
});

test("a service that can't is told plainly", async () => {
  const embedded = await makeTestService();
  world.services.set(url, embedded.send);
  const there = (...argv: string[]) => ferry(world.next({ env: { FERRY_API_KEY: embedded.key } }), "repo", ...argv);
  await there("create", "--clone-url", "https://x.example/acme/a.git");
  for (const verb of ["analyze", "analysis"])
    expect(await there(verb, "acme/a")).toEqual({
      code: 1,
      stdout: "",
      stderr: "ferry: this service can't analyze repositories\n",
    });
  await embedded.close();
});
