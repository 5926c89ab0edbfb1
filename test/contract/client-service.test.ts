import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePatchSource } from "../../src/cli/flows/source.ts";
import type { Client } from "../../src/client/client.ts";
import { follow, type FollowItem } from "../../src/client/follow.ts";
import { readBody } from "../../src/client/http/body.ts";
import { listAll, readList } from "../../src/client/pages.ts";
import { systemFiles } from "../../src/host/files.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Send } from "../../src/host/host.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { listen } from "../../src/service/listen.ts";
import { routes, type RouteName } from "../../src/wire/routes.ts";
import { makeTestClient } from "../support/client.ts";
import { makeTestService, type TestService } from "../support/service.ts";

interface Transport {
  readonly send: Send;
  close(): Promise<void>;
}

/** The same suite over each way to the service. */
const transports: Readonly<Record<string, (service: TestService) => Promise<Transport>>> = {
  "in process": async ({ send }) => ({ send, close: async () => undefined }),
  "over a unix socket": async ({ app }) => {
    const folder = await mkdtemp(join(tmpdir(), "ferry-client-"));
    const socket = join(folder, "s");
    const listener = await listen(app, { socket }, systemClock);
    const close = async () => {
      await listener.close();
      await rm(folder, { recursive: true });
    };
    return { send: makeNetwork({}).overSocket(socket), close };
  },
  "over TCP": async ({ app }) => {
    const listener = await listen(app, { address: "127.0.0.1", port: 0 }, systemClock);
    const { send } = makeNetwork({});
    return {
      send: (request) => send({ ...request, url: request.url.replace("http://localhost", listener.address) }),
      close: () => listener.close(),
    };
  },
};

describe.each(Object.entries(transports))("%s", (_name, connect) => {
  let service: TestService;
  let transport: Transport;
  let client: Client;
  beforeEach(async () => {
    service = await makeTestService();
    transport = await connect(service);
    client = makeTestClient(transport.send, { key: { value: service.key, source: "the test" } });
  });
  afterEach(async () => {
    await transport.close();
    expect(service.errors).toEqual([]);
    await service.close();
  });

  async function startSession(): Promise<{ sessionId: string }> {
    await client.createRepository({ body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
    return { sessionId: (await client.createSession({ body: {} })).id };
  }

  test("has a call for each route, and no other", () => {
    const calls = Object.keys(client).filter((name) => name in routes);
    expect(calls.sort()).toEqual((Object.keys(routes) as RouteName[]).sort());
  });

  test("a provider is made, listed, changed and deleted", async () => {
    const metadata = { type: "gitlab_personal_access_token", token: "glpat-1" } as const;
    const body = { platform: "gitlab", name: "mine", base_url: "https://gitlab.example.com", metadata } as const;
    const { id } = await client.createProvider({ body });
    expect((await client.listProviders()).items.map(({ name }) => name)).toEqual(["mine"]);
    expect((await client.updateProvider({ params: { providerId: id }, body: { name: "ours" } }))?.name).toBe("ours");
    await client.deleteProvider({ params: { providerId: id } });
    expect((await client.listProviders()).items).toEqual([]);
  });

  test("a repository is made, read, changed and deleted", async () => {
    const body = { platform: "git", name: "ü", full_name: "o/ü", clone_url: "/srv/ü.git" } as const;
    const { id } = await client.createRepository({ body });
    expect((await client.readRepository({ params: { id } })).name).toBe("ü");
    expect((await client.updateRepository({ params: { id }, body: { enabled: false } }))?.enabled).toBe(false);
    await client.deleteRepository({ params: { id } });
    await expect(client.readRepository({ params: { id } })).rejects.toMatchObject({ kind: "not_found", status: 404 });
  });

  test("all pages of a list, and no more than a limit", async () => {
    await startSession();
    for (let count = 0; count < 4; count++) await client.createSession({ body: { title: `session ${count}` } });
    expect(await listAll(client.listSessions)).toHaveLength(5);
    const { items, more } = await readList(client.listSessions, { limit: 2 });
    expect([items.length, more]).toEqual([2, true]);
    expect((await readList(client.listSessions, { limit: 5 })).more).toBe(false);
    expect(await listAll(client.listSessions, { filters: { status: "closed" } })).toEqual([]);
  });

  test("a session is told what to do, canceled, changed and closed", async () => {
    const params = await startSession();
    const sent = await client.sendMessage({ params, body: { message: "go", client_id: "c1" } });
    expect(sent).toMatchObject({ type: "user_message", status: "processing", client_id: "c1" });
    expect((await client.sendMessage({ params, body: { message: "more" } }))?.status).toBe("queued");
    expect((await client.cancelSession({ params, body: { queued: true } }))?.agent_status).toBe("idle");
    expect((await client.updateSession({ params, body: { auto_commit: true } }))?.auto_commit).toBe(true);
    expect((await client.closeSession({ params, body: { outcome: "closed" } }))?.status).toBe("closed");
    expect((await client.readSession({ params })).status).toBe("closed");
    expect((await client.readEvents({ params })).map(({ type }) => type)).toEqual([
      "user_message",
      "user_message",
      "session_closed",
    ]);
  });

  test("what the service says no to has a kind, and its words", async () => {
    const refused = (call: Promise<unknown>) => expect(call).rejects;
    await refused(client.createSession({ body: {} })).toMatchObject({ kind: "usage", status: 422, code: "repository_required" });
    await refused(
      client.createRepository({ body: { platform: "git", name: "", full_name: "o/a", clone_url: "/a" } }),
    ).toMatchObject({ kind: "usage", status: 400 });
    const wrong = makeTestClient(transport.send);
    await refused(wrong.listSessions()).toMatchObject({ kind: "auth", status: 401 });
    const reader = makeTestClient(transport.send, {
      key: { value: await service.makeKey({ scopes: ["sessions:read"] }), source: "the test" },
    });
    await refused(reader.listProviders()).toMatchObject({ kind: "auth", status: 403 });
  });

  test("says what it can do", async () => {
    expect([...(await client.capabilities())]).toEqual(expect.arrayContaining(["stream", "after", "patches"]));
    expect((await client.readCli()).user?.email).toBe("ada@example.com");
  });

  test("is followed live to the end of a turn", async () => {
    const params = await startSession();
    await client.sendMessage({ params, body: { message: "go", client_id: "mine" } });
    const items: FollowItem[] = [];
    let finished: Promise<void> | undefined;
    const signal = AbortSignal.timeout(20_000);
    const options = {
      client,
      ...params,
      clock: systemClock,
      random: (size: number) => new Uint8Array(size),
      makeSpool: systemFiles.makeSpool,
      signal,
      until: "idle",
      message: "mine",
    } as const;
    for await (const item of follow(options)) {
      items.push(item);
      // Behind the source it is what the stream asked for when it began: from now on it tells of each change by itself.
      if (item.kind === "session" && isStreaming()) finished ??= service.sessions.finishTurn(params.sessionId, "done: ü 你好");
    }
    await finished;
    expect(items.find(({ kind }) => kind === "source")).toEqual({ kind: "source", name: "stream" });
    const events = items
      .flatMap((item) => (item.kind === "events" ? item.items : []))
      .map(({ event, update }) => [event.type, event.status, update]);
    expect(events).toEqual([
      ["user_message", "processing", false],
      ["agent_message", "completed", false],
      ["user_message", "completed", true],
    ]);
    expect(items.at(-1)).toMatchObject({ kind: "outcome", outcome: "idle" });

    function isStreaming(): boolean {
      return items.some(({ kind }) => kind === "source");
    }
  });

  test("bytes of commits arrive as they were sent", async () => {
    const params = await startSession();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    const [base, head] = ["a".repeat(40), "b".repeat(40)];
    const item = {
      sequence: 1,
      commit: head,
      parents: [base],
      tree: base,
      raw: "",
      subject: "x",
      changes: [],
      bytes: 1,
      sha256: "",
      diff_offset: 1,
    };
    const manifest = {
      repository_id: "r",
      object_format: "sha1",
      base_commit: base,
      head_commit: head,
      mailable: true,
      reason: "",
      items: [item],
      next_cursor: "",
    };
    service.sessions.setSeries(params.sessionId, { manifest, mbox: [bytes.slice(0, 1000), bytes.slice(1000)], bundle: [bytes] });
    const source = makePatchSource(client, params.sessionId);
    expect(await source.manifest("")).toEqual(manifest);
    for (const stream of [source.mbox("", head), source.bundle("", head)]) {
      const body = await readBody({ status: 200, headers: {}, body: stream, cancel: async () => undefined }, systemClock);
      expect(Buffer.compare(body, bytes)).toBe(0);
    }
    await expect(source.manifest("c".repeat(40))).rejects.toMatchObject({ kind: "failure", code: "history_rewritten" });
  });

  test("any other call, whatever its status", async () => {
    const answer = await client.raw("GET", "/api/v1/nothing", { headers: { accept: "application/json" } });
    expect(answer.status).toBe(404);
    expect(JSON.parse(Buffer.from(await readBody(answer, systemClock)).toString())).toHaveProperty("error");
  });
});
