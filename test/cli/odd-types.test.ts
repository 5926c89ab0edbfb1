import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../support/ferry.ts";
import { commitFiles, makeRepository } from "../support/git.ts";
import { makeScheduleService, type ScheduleService } from "../support/schedule-service.ts";
import { answer, makeSeedService, type Json, type SeedService } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";
import { fields } from "../../src/wire/fields.ts";

const url = "https://agents.example.com";

let world: World;
let seed: SeedService;
let service: ScheduleService;
/** What another part of the service answers, by its path. */
const answers = new Map<string, unknown>();
beforeEach(() => {
  seed = makeSeedService();
  service = makeScheduleService(seed);
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: seed.key } });
  answers.clear();
  world.services.set(url, async (request) => {
    const { pathname } = new URL(request.url);
    return request.method === "GET" && answers.has(pathname) ? answer(200, answers.get(pathname)) : service.send(request);
  });
  const git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
  git("remote", "add", "origin", "https://gitlab.example/acme/shop.git");
});
afterEach(() => world.dispose());

const call = (...argv: readonly string[]): Promise<FerryResult> =>
  ferry(world.next({ cwd: join(world.folder, "repo") }), ...argv);
const onTerminal = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next({}, { tty: true }), ...argv);

/** A resource of that id whose every other field is `value`. */
const odd = (id: string, names: readonly string[], value: unknown): Json => ({
  ...Object.fromEntries(names.map((name) => [name, value])),
  id,
});

const kinds = ["language", "framework", "library", "database"];
const metadata = [
  ...["primary_languages", "primary_frameworks", "primary_libraries", "primary_databases", "analyzed_commit_sha"],
  ...["languages", "frameworks", "libraries", "databases", "created_at", "updated_at"],
];
const component = ["path", "summary", "languages", ...kinds.map((kind) => `primary_${kind}`)];

const values = [12, true, "", "x", null, [], ["x"], [null], [1, {}], {}, { a: 1 }];

// Whatever a field is, one odd entry neither ends a command as a fault of ours nor spoils the others.
describe.each(values.map((value) => [JSON.stringify(value), value]))("fields that are %s", (_, value) => {
  test("of providers and repositories", async () => {
    seed.providers.push(odd("p-odd", fields.provider, value), { id: "p-good", name: "gl", base_url: "https://gitlab.example" });
    seed.repositories.push(odd("r-odd", fields.repository, value), {
      id: "r-good",
      full_name: "acme/shop",
      clone_url: "https://gitlab.example/acme/shop.git",
    });
    expect(await call("repo", "view", "--json", "--fields", "id")).toMatchObject({ code: 0, stdout: '{"id":"r-good"}\n' });
    for (const argv of [
      ["repo", "list"],
      ["repo", "view", "r-odd"],
      ["repo", "view", "acme/shop"],
      ["repo", "edit", "r-odd", "--disable"],
      ["provider", "list"],
      ["provider", "view", "p-odd"],
      ["provider", "view", "gl"],
      ["repo", "create", "--provider", "p-odd", "--clone-url", "https://x.example/a/b.git"],
      ["repo", "delete", "r-odd", "-y"],
      ["provider", "delete", "p-odd", "-y"],
    ]) {
      const { code, stderr } = await call(...argv);
      expect({ argv, code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/\bfault/u) as string });
    }
  });

  test("of an analysis", async () => {
    seed.repositories.push({ id: "r", full_name: "acme/shop" });
    const about = odd("a", metadata, value);
    for (const analysis of [
      { metadata: value, components: value },
      { metadata: about, components: [value, odd("c", component, value)] },
    ]) {
      seed.analyses.set("r", analysis);
      expect(await call("repo", "analysis", "r")).toMatchObject({ code: 0, stderr: "" });
      expect(await onTerminal("repo", "analysis", "r")).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test("of sessions", async () => {
    seed.repositories.push(odd("r-odd", fields.repository, value));
    seed.sessions.push(odd("s-odd", fields.session, value), { id: "s-good", repository_id: "r-odd" });
    for (const argv of [
      ["session", "list"],
      ["session", "view", "s-odd"],
      ["session", "view", "s-good"],
      ["session", "view", "-"],
    ])
      for (const run of [call, onTerminal]) {
        const { code, stderr } = await run(...argv);
        expect({ argv, code, stderr }).toMatchObject({ code: 0, stderr: "" });
      }
    expect(await call("session", "view")).toMatchObject({ stderr: expect.not.stringMatching(/\bfault/u) as string });
  });

  test("of who one is, and of keys", async () => {
    const user = odd("u", ["name", "email"], value);
    const key = odd("k", ["scopes", "expires_at"], value);
    for (const info of [
      { service: value, portal_url: value, workspace: value, user: value, key: value, capabilities: value },
      { service: { name: value, version: value }, workspace: { name: value }, user, key, capabilities: ["keys", value] },
    ]) {
      answers.set("/api/v1/cli", info);
      for (const argv of [["whoami"], ["whoami", "--json"], ["auth", "status"], ["auth", "status", "--json"]])
        for (const run of [call, onTerminal]) {
          const { code, stdout, stderr } = await run(...argv);
          expect({ argv, code, stdout, stderr }).toMatchObject({
            code: 0,
            stdout: expect.not.stringContaining("[object") as string,
            stderr: expect.not.stringContaining("has a fault") as string,
          });
        }
    }
    answers.set("/api/v1/api-keys", [odd("k-odd", fields.apiKey, value), { id: "k-good", name: "ci" }]);
    expect(await call("key", "list")).toMatchObject({ code: 0, stderr: "" });
    expect(await onTerminal("key", "list")).toMatchObject({ code: 0, stderr: "" });
    expect(await call("key", "revoke", "ci")).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") as string });
  });

  test("of schedules", async () => {
    service.schedules.push(odd("c-odd", fields.schedule, value), { id: "c-good", name: "nightly" });
    for (const argv of [["list"], ["view", "c-odd"], ["view", "nightly"], ["run", "c-odd"], ["delete", "c-odd", "-y"]]) {
      const { code, stderr } = await call("schedule", ...argv);
      expect({ argv, code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/\bfault/u) as string });
    }
  });
});

test("scopes that are words parted by blanks, as OAuth has them, are told", async () => {
  answers.set("/api/v1/cli", { key: { id: "k", scopes: " sessions:read  sessions:write" } });
  expect((await call("whoami")).stdout).toMatch(/^scopes: +sessions:read, sessions:write$/mu);
  const { stdout } = await call("auth", "status", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ scopes: ["sessions:read", "sessions:write"], works: true }]);
});

test("doctor tells the service's name and version as they are", async () => {
  answers.set("/api/v1/cli", { service: { name: "other", version: { major: 2 } } });
  expect((await call("doctor")).stdout).toContain('takes the key (other {"major":2})');
});

test("of a key it is told what is known: that it was revoked, and no end that is no time", async () => {
  answers.set("/api/v1/cli", { capabilities: ["keys"] });
  answers.set("/api/v1/api-keys", [
    { id: "a", revoked_at: 5 },
    { id: "b", expires_at: "soon" },
    { id: "c", expires_at: 5 },
    { id: "d", revoked_at: null, expires_at: "" },
  ]);
  const { stdout } = await call("key", "list");
  expect(stdout.split("\n").map((line) => line.split("\t")[3])).toEqual([
    "revoked",
    "expires: soon",
    "expires: 5",
    "works",
    undefined,
  ]);
});

test("an analysis whose languages are one text shows it whole", async () => {
  seed.repositories.push({ id: "r", full_name: "acme/shop" });
  seed.analyses.set("r", { metadata: { id: "a", languages: "js" }, components: "" });
  expect((await call("repo", "analysis", "r")).stdout).toMatch(/^languages: +js$/mu);
});

test("the zone of a schedule stands behind its days, too", async () => {
  service.schedules.push({ id: "c", name: "n", every: { n: 1, unit: "week" }, weekdays: ["monday"], timezone: "Europe/Berlin" });
  expect((await call("schedule", "view", "n")).stdout).toMatch(/^when: +every week on mon \(Europe\/Berlin\)$/mu);
});

test("sessions that don't tell what is filtered by are left out, and that is said", async () => {
  seed.sessions.push({ id: "a" }, { id: "b", user_id: null, status: null });
  expect(await call("session", "list", "--user", "zz")).toEqual({
    code: 0,
    stdout: "",
    stderr: "no sessions\nthe sessions of agents.example.com don't tell who made them\n",
  });
  seed.sessions.push({ id: "c", status: "finished", created_at: "2020-01-01T00:00:00Z" });
  const { stdout } = await call("session", "list", "--status", "finished", "--limit", "1", "--json", "--fields", "id");
  expect(JSON.parse(stdout)).toEqual([{ id: "c" }]);
});
