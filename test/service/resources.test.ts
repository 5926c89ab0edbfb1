import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeId } from "../../src/base/ids.ts";
import { makeApp } from "../../src/service/app.ts";
import type { BodyOf } from "../../src/wire/contract.ts";
import { type AskService, makeAsk, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
beforeEach(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
});
afterEach(() => service.close());

const token = "glpat-0123456789abcdef";
const gitlab: BodyOf<"createProvider"> = {
  platform: "gitlab",
  name: "work",
  base_url: "https://gitlab.example.com/gitlab",
  metadata: { type: "gitlab_personal_access_token", token },
};
const local: BodyOf<"createRepository"> = { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" };

describe("code providers", () => {
  test("are created, listed, changed and deleted, never with the token", async () => {
    const created = await must(ask, "createProvider", { body: gitlab });
    expect(created).toEqual({
      id: expect.stringMatching(/^prv_/u) as string,
      workspace_id: service.store.workspace.id,
      user_id: service.user.id,
      platform: "gitlab",
      name: "work",
      base_url: "https://gitlab.example.com/gitlab",
      metadata: { type: "gitlab_personal_access_token", token: "…cdef" },
      created_at: created.created_at,
      updated_at: created.created_at,
    });
    expect(await must(ask, "listProviders")).toEqual({ items: [created], next_cursor: "" });
    const params = { providerId: created.id };
    const renamed = await must(ask, "updateProvider", { params, body: { name: "home" } });
    expect(renamed).toEqual({ ...created, name: "home", updated_at: renamed.updated_at });
    expect(renamed.updated_at > created.updated_at).toBe(true);
    expect(await must(ask, "deleteProvider", { params })).toEqual(renamed);
    expect((await ask("deleteProvider", { params })).status).toBe(404);
  });

  test("keep their token sealed, to be opened for this provider alone", async () => {
    const { id } = await must(ask, "createProvider", { body: gitlab });
    const record = await service.store.providers.find(id);
    expect(JSON.stringify(record)).not.toContain(token);
    expect(service.deps.sealer.open(record?.sealed_token ?? "", id)).toBe(token);
    expect(() => service.deps.sealer.open(record?.sealed_token ?? "", "prv_other")).toThrow(
      "the stored secret of prv_other can't be opened",
    );
  });

  test("show nothing of a short token", async () => {
    const body = { ...gitlab, metadata: { type: "gitlab_personal_access_token", token: "short-token" } as const };
    expect((await must(ask, "createProvider", { body })).metadata.token).toBe("…");
  });

  test("need the token again for an address of another origin, and no repositories", async () => {
    const { id } = await must(ask, "createProvider", { body: gitlab });
    const params = { providerId: id };
    await must(ask, "updateProvider", { params, body: { base_url: "https://gitlab.example.com/" } });
    const elsewhere = { base_url: "https://evil.example.com" };
    expect(await ask("updateProvider", { params, body: elsewhere })).toMatchObject({
      status: 400,
      body: { message: "metadata: is required with a base_url of another origin: give the token again" },
    });
    await must(ask, "createRepository", {
      body: { ...local, platform: "gitlab", code_provider_id: id, clone_url: "https://gitlab.example.com/o/a.git" },
    });
    const again = { ...elsewhere, metadata: gitlab.metadata };
    expect(await ask("updateProvider", { params, body: again })).toMatchObject({
      status: 409,
      body: { code: "provider_in_use" },
    });
    expect(await ask("deleteProvider", { params })).toMatchObject({ status: 409, body: { code: "provider_in_use" } });
    expect((await must(ask, "listProviders")).items[0]?.base_url).toBe("https://gitlab.example.com/");
  });

  test("a new token replaces the old one", async () => {
    const { id } = await must(ask, "createProvider", { body: gitlab });
    const metadata = { type: "gitlab_personal_access_token", token: "glpat-fedcba9876543210" } as const;
    expect((await must(ask, "updateProvider", { params: { providerId: id }, body: { metadata } })).metadata.token).toBe("…3210");
    expect(service.deps.sealer.open((await service.store.providers.find(id))?.sealed_token ?? "", id)).toBe(metadata.token);
  });
});

describe("repositories", () => {
  test("are created, read, listed, disabled and deleted", async () => {
    const created = await must(ask, "createRepository", { body: local });
    expect(created).toEqual({
      id: expect.stringMatching(/^rep_/u) as string,
      workspace_id: service.store.workspace.id,
      code_provider_id: "",
      name: "a",
      full_name: "o/a",
      clone_url: "/srv/a.git",
      default_branch: "",
      platform: "git",
      external_id: "",
      enabled: true,
      webhooks_registered: false,
      analysis_status: "failed",
      analysis_error: "this service can't analyze repositories yet",
      created_at: created.created_at,
      updated_at: created.created_at,
    });
    const params = { id: created.id };
    expect(await must(ask, "readRepository", { params })).toEqual(created);
    expect(await must(ask, "listRepositories")).toEqual({ items: [created], next_cursor: "" });
    const disabled = await must(ask, "updateRepository", { params, body: { enabled: false } });
    expect(disabled).toEqual({ ...created, enabled: false, updated_at: disabled.updated_at });
    expect(await must(ask, "deleteRepository", { params })).toEqual(disabled);
    expect((await ask("readRepository", { params })).status).toBe(404);
  });

  test("of a place that is registered already are the one that is there: 200", async () => {
    const created = await must(ask, "createRepository", { body: local });
    const again = await ask("createRepository", { body: { ...local, name: "other" } });
    expect(again).toMatchObject({ status: 200, body: created });
    expect((await must(ask, "listRepositories")).items).toHaveLength(1);
  });

  test("of one place that are registered at the same time are one", async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask("createRepository", { body: local })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
  });

  test("with open sessions stay", async () => {
    const { id } = await must(ask, "createRepository", { body: local });
    const session = await must(ask, "createSession", { body: {} });
    expect(await ask("deleteRepository", { params: { id } })).toMatchObject({
      status: 409,
      body: { code: "repository_in_use", message: `repository ${id} has open sessions, e.g. ${session.id}: close them first` },
    });
    await must(ask, "closeSession", { params: { sessionId: session.id }, body: { outcome: "closed" } });
    await must(ask, "deleteRepository", { params: { id } });
  });

  test.each([
    "/srv/a.git",
    "file:///srv/a.git",
    "https://example.com/a.git",
    "ssh://git@example.com:22/a.git",
    "git@example.com:o/a.git",
    "example.com:a",
    "git://example.com/a",
  ])("of platform git may lie at %s", async (clone_url) => {
    await must(ask, "createRepository", { body: { ...local, clone_url } });
  });

  test.each([
    ["--upload-pack=touch /tmp/x", "is no clone address"],
    ["ext::sh -c touch% /tmp/x", "is no clone address"],
    ["fd::17", "is no clone address"],
    ["::x", "is no clone address"],
    ["https://example.com/a\nb", "is no clone address"],
    ["-oProxyCommand=x:a", "is no clone address"],
    ["git@-oProxyCommand=x:a", "must be an absolute path or an address of https, http, ssh, git or file"],
    ["a/b", "must be an absolute path or an address of https, http, ssh, git or file"],
    ["../a", "must be an absolute path or an address of https, http, ssh, git or file"],
    ["ftp://example.com/a", "must be an absolute path or an address of https, http, ssh, git or file"],
    ["https://user:secret@example.com/a", "must not carry a user name or password"],
    ["https://token@example.com/a", "must not carry a user name or password"],
    ["ssh://git:secret@example.com/a", "must not carry a user name or password"],
  ])("of platform git may not lie at %j", async (clone_url, why) => {
    const reply = await ask("createRepository", { body: { ...local, clone_url } });
    expect(reply).toMatchObject({ status: 400, body: { message: `clone_url: ${why}` } });
  });

  test("of a place on the service's own machine are its owner's alone to register", async () => {
    const stranger = { id: makeId("usr", service.deps.random), name: "bob", email: "" };
    await service.store.keys.insertUser(stranger);
    const app = makeApp({ ...service.deps, owner: service.user.id });
    const askOthers = makeAsk({ app, key: await service.makeKey({ user_id: stranger.id }) });
    for (const clone_url of ["/srv/other", "file:///srv/other", "FILE:///srv/other"]) {
      const body = { ...local, clone_url };
      expect(await askOthers("createRepository", { body })).toMatchObject({ status: 403 });
      await must(makeAsk({ app, key: service.key }), "createRepository", { body });
    }
    for (const clone_url of ["https://example.com/b", "git@example.com:b", "ssh://git@example.com/b"])
      await must(askOthers, "createRepository", { body: { ...local, clone_url } });
  });

  test("of platform git have no code provider", async () => {
    const body = { ...local, code_provider_id: "prv_1" };
    expect(await ask("createRepository", { body })).toMatchObject({
      status: 400,
      body: { message: "code_provider_id: platform git has none" },
    });
  });

  test("of platform gitlab need a code provider that there is, and its origin", async () => {
    const body = { ...local, platform: "gitlab", clone_url: "https://gitlab.example.com/o/a.git" };
    expect(await ask("createRepository", { body })).toMatchObject({
      status: 400,
      body: { message: "code_provider_id: is required for platform gitlab" },
    });
    expect(await ask("createRepository", { body: { ...body, code_provider_id: "prv_1" } })).toMatchObject({
      status: 422,
      body: { code: "unknown_code_provider", message: "code_provider_id: there is no such code provider" },
    });
    const { id } = await must(ask, "createProvider", { body: gitlab });
    for (const clone_url of [
      "https://gitlab.example.com:8443/o/a.git",
      "http://gitlab.example.com/o/a.git",
      "https://evil.example.com/o/a.git",
    ])
      expect(await ask("createRepository", { body: { ...body, code_provider_id: id, clone_url } })).toMatchObject({
        status: 400,
        body: { message: "clone_url: must be of the code provider's origin, https://gitlab.example.com" },
      });
    for (const clone_url of ["/srv/a.git", "git@gitlab.example.com:o/a.git", "ssh://gitlab.example.com/a"])
      expect(await ask("createRepository", { body: { ...body, code_provider_id: id, clone_url } })).toMatchObject({
        status: 400,
        body: { message: "clone_url: must be an https or http address" },
      });
    await must(ask, "createRepository", {
      body: { ...local, platform: "gitlab", code_provider_id: id, clone_url: body.clone_url },
    });
  });
});

describe("sessions", () => {
  test("need a repository that can be chosen", async () => {
    expect(await ask("createSession", { body: {} })).toMatchObject({ status: 422, body: { error: "Unprocessable Content" } });
    const { id } = await must(ask, "createRepository", { body: local });
    await must(ask, "createRepository", { body: { ...local, clone_url: "/srv/b.git" } });
    expect(await ask("createSession", { body: {} })).toMatchObject({ status: 422, body: { code: "repository_required" } });
    expect((await must(ask, "createSession", { body: { repository_id: id } })).repository_id).toBe(id);
    await must(ask, "updateRepository", { params: { id }, body: { enabled: false } });
    expect(await ask("createSession", { body: { repository_id: id } })).toMatchObject({
      status: 409,
      body: { code: "repository_disabled" },
    });
  });

  test("are created, read, changed, sent messages, cancelled and closed", async () => {
    await must(ask, "createRepository", { body: local });
    const session = await must(ask, "createSession", { body: { branch_name: "fix/x", message: "do it" } });
    const params = { sessionId: session.id };
    expect(session).toMatchObject({
      title: "do it",
      auto_commit: false,
      branch_name: "fix/x",
      status: "active",
      agent_status: "working",
      origin: "api",
    });
    expect(await must(ask, "readSession", { params })).toEqual(session);
    expect(await must(ask, "updateSession", { params, body: { auto_commit: true } })).toMatchObject({
      auto_commit: true,
      branch_name: "fix/x",
    });
    const queued = await must(ask, "sendMessage", { params, body: { message: "and that", client_id: "c1" } });
    expect(queued).toMatchObject({
      type: "user_message",
      payload: { type: "user_message", message: "and that" },
      status: "queued",
      client_id: "c1",
    });
    expect((await must(ask, "sendMessage", { params, body: { message: "and that", client_id: "c1" } })).id).toBe(queued.id);
    expect(await must(ask, "cancelSession", { params, body: { queued: true } })).toMatchObject({ agent_status: "idle" });
    const closed = await must(ask, "closeSession", { params, body: { outcome: "finished" } });
    expect(closed).toMatchObject({ status: "finished" });
    const timeline = await must(ask, "readEvents", { params });
    expect(timeline.map(({ type, status }) => [type, status])).toEqual([
      ["user_message", "canceled"],
      ["user_message", "canceled"],
      ["session_finished", "completed"],
    ]);
    expect(timeline[2]?.payload).toEqual({
      type: "session_finished",
      actor: { id: service.user.id, first_name: "Ada", email: "ada@example.com" },
    });
    expect((await ask("sendMessage", { params, body: { message: "more" } })).status).toBe(409);
  });

  test("list by status and user, page by page; a computed field that can be had is no error", async () => {
    await must(ask, "createRepository", { body: local });
    const ids: string[] = [];
    for (const title of ["a", "b", "c"]) ids.unshift((await must(ask, "createSession", { body: { title } })).id);
    await must(ask, "closeSession", { params: { sessionId: ids[0] ?? "" }, body: { outcome: "closed" } });
    const list = async (query: Record<string, string | number>) => {
      const { items, next_cursor } = await must(ask, "listSessions", { query });
      return { ids: items.map(({ id }) => id), next_cursor };
    };
    expect(await list({ include: "mr_pipeline_summary" })).toEqual({ ids, next_cursor: "" });
    expect((await list({ status: "active" })).ids).toEqual(ids.slice(1));
    expect((await list({ status: "closed", user_id: service.user.id })).ids).toEqual(ids.slice(0, 1));
    expect((await list({ user_id: "usr_other" })).ids).toEqual([]);
    const first = await list({ limit: 2 });
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect(await list({ limit: 2, cursor: first.next_cursor })).toEqual({ ids: ids.slice(2), next_cursor: "" });
  });
});
