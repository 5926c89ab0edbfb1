import { afterEach, beforeEach, expect, test } from "vitest";
import type { Manifest } from "../../src/wire/patches.ts";
import { type AskService, makeAsk, makeRequest, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
let params: { sessionId: string };
let repositoryId: string;
beforeEach(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
  repositoryId = (
    await must(ask, "createRepository", { body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } })
  ).id;
  params = { sessionId: (await must(ask, "createSession", { body: {} })).id };
});
afterEach(() => service.close());

const manifest = (change: Partial<Manifest> = {}): Manifest => ({
  repository_id: repositoryId,
  object_format: "sha1",
  base_commit: "a".repeat(40),
  head_commit: "b".repeat(40),
  mailable: true,
  reason: "",
  items: [],
  next_cursor: "",
  ...change,
});
const bytes = (text: string) => Buffer.from(text, "latin1");
const series = (change: Partial<Manifest> = {}) => ({
  manifest: manifest(change),
  mbox: [bytes("From \xff\r\n"), bytes("more\n")],
  bundle: [bytes("# v2 git bundle\n")],
});

test.each(["application/json", "*/*", "text/plain"])("Accept: %s gives the manifest", async (accept) => {
  service.sessions.setSeries(params.sessionId, series());
  expect((await ask("readPatches", { params, headers: { accept } })).body).toEqual(manifest());
  expect((await ask("readPatches", { params, query: { repository_id: repositoryId } })).body).toEqual(manifest());
});

test.each([
  ["application/mbox", "From \xff\r\nmore\n"],
  ["application/x-git-bundle", "# v2 git bundle\n"],
])("Accept: %s gives the bytes", async (accept, expected) => {
  service.sessions.setSeries(params.sessionId, series());
  const request = makeRequest("readPatches", { params, key: service.key, headers: { accept } });
  const response = await service.app(request);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, accept]);
  expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toBe(expected);
});

test("the range goes to the engine as it was asked for", async () => {
  const ranges: unknown[] = [];
  service.sessions.manifest = async (id, range) => {
    ranges.push([id, range]);
    return manifest();
  };
  await must(ask, "readPatches", { params });
  await must(ask, "readPatches", { params, query: { after: "a".repeat(40), until: "b".repeat(40), cursor: "3" } });
  expect(ranges).toEqual([
    [params.sessionId, { after: "", until: "", cursor: "" }],
    [params.sessionId, { after: "a".repeat(40), until: "b".repeat(40), cursor: "3" }],
  ]);
});

test("merges are no mail: 409", async () => {
  service.sessions.setSeries(params.sessionId, series({ mailable: false, reason: "has a merge" }));
  expect(await ask("readPatches", { params, headers: { accept: "application/mbox" } })).toMatchObject({
    status: 409,
    body: { code: "not_mailable" },
  });
});

test("a history that was rewritten is told with its code: 409", async () => {
  service.sessions.setSeries(params.sessionId, series());
  expect(await ask("readPatches", { params, query: { after: "c".repeat(40) } })).toMatchObject({
    status: 409,
    body: { code: "history_rewritten", message: expect.stringContaining("a".repeat(40)) as string },
  });
});

test("another repository than the session's is 400", async () => {
  expect(await ask("readPatches", { params, query: { repository_id: "rep_other" } })).toMatchObject({
    status: 400,
    body: { message: "repository_id: is not a repository of this session" },
  });
});

test.each(["--output=/tmp/x", "HEAD", "abc", "A".repeat(40)])("%j is no commit: 400", async (commit) => {
  for (const name of ["after", "until"])
    expect(await ask("readPatches", { params, query: { [name]: commit } })).toMatchObject({
      status: 400,
      body: { message: `${name}: is no full commit id` },
    });
});

test("uncommitted: what the engine says; a reader's scope is enough, an unknown session is 404", async () => {
  const uncommitted = { base_commit: "a".repeat(40), tree: "b".repeat(40), patch: "", as_of: "2026-01-01T00:00:00.000Z" };
  expect(await ask("readUncommitted", { params })).toMatchObject({ status: 409, body: { code: "not_kept" } });
  service.sessions.setUncommitted(params.sessionId, uncommitted);
  const key = await service.makeKey({ scopes: ["sessions:read"] });
  expect(await ask("readUncommitted", { params, key })).toMatchObject({ status: 200, body: uncommitted });
  const other = await service.makeKey({ scopes: ["repositories:all"] });
  expect(await ask("readUncommitted", { params, key: other })).toMatchObject({ status: 403 });
  expect(await ask("readUncommitted", { params: { sessionId: "ses_none" } })).toMatchObject({ status: 404 });
});
