import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrations } from "../../src/service/store/migrations/migrations.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import type { Store } from "../../src/service/store/store.ts";
import { engines, type Engine } from "../support/engines.ts";
import { eventsOf } from "../support/events-of.ts";
import { ada, message, provider, repository, session, time } from "../support/records.ts";

describe.each(Object.entries(engines))("the store over %s", (_, makeEngine) => {
  let engine: Engine;
  let store: Store;
  const open = async () => openSqlStore(await engine.open(), () => ({ id: "wsp_1", name: "local" }));
  beforeEach(async () => {
    engine = await makeEngine();
    store = await open();
    await store.keys.insertUser(ada);
  });
  afterEach(async () => {
    await store.close();
    await engine.clear();
  });

  test("has one workspace, which stays", async () => {
    expect(store.workspace).toEqual({ id: "wsp_1", name: "local" });
    await store.close();
    store = await openSqlStore(await engine.open(), () => ({ id: "wsp_2", name: "other" }));
    expect(store.workspace).toEqual({ id: "wsp_1", name: "local" });
  });

  describe("keys", () => {
    test("come back as they were, by their hash", async () => {
      const key = {
        id: "key_1",
        name: "k",
        user_id: ada.id,
        hash: "aa",
        scopes: ["all:all"] as const,
        expires_at: null,
        revoked_at: time(1),
        created_at: time(0),
      };
      await store.keys.insert(key);
      expect(await store.keys.findByHash("aa")).toEqual({ ...key, user_name: ada.name });
      expect(await store.keys.findByHash("ab")).toBeUndefined();
      expect(await store.keys.findUser(ada.id)).toEqual(ada);
      expect(await store.keys.findUser("usr_2")).toBeUndefined();
    });

    test("belong to a user that there is", async () => {
      const key = {
        id: "key_1",
        name: "k",
        user_id: "usr_2",
        hash: "aa",
        scopes: [],
        expires_at: null,
        revoked_at: null,
        created_at: time(0),
      };
      await expect(store.keys.insert(key)).rejects.toThrow(/FOREIGN KEY/iu);
    });
  });

  describe("resources", () => {
    test("come back as they were: booleans as booleans, absent fields absent", async () => {
      await store.repositories.insert(repository(1));
      const full = { ...repository(2), enabled: false, webhook_secret: "s", analysis_error: "e", last_analyzed_at: time(9) };
      await store.repositories.insert(full);
      expect(await store.repositories.find("rep_1")).toEqual(repository(1));
      expect(await store.repositories.find("rep_2")).toEqual(full);
      await store.providers.insert(provider(1));
      expect(await store.providers.find("prv_1")).toEqual(provider(1));
    });

    test("are changed and deleted by id, and given back", async () => {
      await store.repositories.insert(repository(1));
      const changed = { ...repository(1), enabled: false, updated_at: time(2) };
      expect(await store.repositories.update("rep_1", { enabled: false, updated_at: time(2) })).toEqual(changed);
      expect(await store.repositories.delete("rep_1")).toEqual(changed);
      expect(await store.repositories.delete("rep_1")).toBeUndefined();
      expect(await store.repositories.update("rep_1", { enabled: true })).toBeUndefined();
      expect(await store.repositories.find("rep_1")).toBeUndefined();
    });

    test("a place is one repository", async () => {
      await store.repositories.insert(repository(1));
      expect(await store.repositories.findByPlace("/srv/1.git")).toEqual(repository(1));
      expect(await store.repositories.findByPlace("/srv/2.git")).toBeUndefined();
      await expect(store.repositories.insert({ ...repository(2), clone_url: "/srv/1.git" })).rejects.toThrow(/UNIQUE/iu);
      await store.repositories.insert({
        ...repository(3),
        platform: "gitlab",
        code_provider_id: "prv_1",
        clone_url: "/srv/1.git",
      });
      expect(await store.repositories.findByPlace("/srv/1.git")).toEqual(repository(1));
      expect(await store.repositories.hasProvider("prv_1")).toBe(true);
      expect(await store.repositories.hasProvider("prv_2")).toBe(false);
    });
  });

  describe("lists", () => {
    test("are newest first, page by page, without a gap when something new comes between", async () => {
      for (const number of [1, 2, 3, 4, 5]) await store.repositories.insert(repository(number));
      const first = await store.repositories.list({ limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["rep_5", "rep_4"]);
      await store.repositories.insert(repository(6));
      const second = await store.repositories.list({ limit: 2, cursor: first.next_cursor });
      expect(second.items.map(({ id }) => id)).toEqual(["rep_3", "rep_2"]);
      const third = await store.repositories.list({ limit: 2, cursor: second.next_cursor });
      expect(third).toEqual({ items: [repository(1)], next_cursor: "" });
    });

    test("have 50 items a page where nothing else is asked for, and no cursor behind the last", async () => {
      for (let number = 100; number < 150; number++) await store.repositories.insert(repository(number));
      expect(await store.repositories.list({})).toMatchObject({ items: { length: 50 }, next_cursor: "" });
      await store.repositories.insert(repository(150));
      const { items, next_cursor } = await store.repositories.list({});
      expect(items).toHaveLength(50);
      expect((await store.repositories.list({ cursor: next_cursor })).items.map(({ id }) => id)).toEqual(["rep_100"]);
    });

    test("of things of the same age miss none", async () => {
      for (const number of [1, 2, 3]) await store.repositories.insert({ ...repository(number), created_at: time(0) });
      const { items, next_cursor } = await store.repositories.list({ limit: 2 });
      expect([...items, ...(await store.repositories.list({ cursor: next_cursor })).items].map(({ id }) => id).sort()).toEqual([
        "rep_1",
        "rep_2",
        "rep_3",
      ]);
    });

    test.each(["x", "!!!", "cmVwXzE", Buffer.from("2026-01-01 ' or 1=1").toString("base64url")])(
      "refuse the cursor %s",
      async (cursor) => {
        await expect(store.repositories.list({ cursor })).rejects.toMatchObject({ status: 400, code: "invalid_cursor" });
      },
    );
  });

  describe("sessions", () => {
    test("come back as they were, and list by status and user", async () => {
      await store.keys.insertUser({ ...ada, id: "usr_2" });
      const full = {
        ...session(2),
        status: "closed" as const,
        user_id: "usr_2",
        sandbox_id: "sbx_1",
        merged_at: time(3),
        base_commit: "",
        auto_commit: true,
        usage: { model_calls: 1, input_tokens: 2, output_tokens: 3, cost_usd: 0.25 },
      };
      await store.sessions.insert(session(1));
      await store.sessions.insert(full);
      expect(await store.sessions.find("ses_1")).toEqual(session(1));
      expect(await store.sessions.find("ses_2")).toEqual(full);
      expect((await store.sessions.list({})).items).toEqual([full, session(1)]);
      expect((await store.sessions.list({ status: "active" })).items).toEqual([session(1)]);
      expect((await store.sessions.list({ user_id: "usr_2" })).items).toEqual([full]);
      expect((await store.sessions.list({ status: "active", user_id: "usr_2" })).items).toEqual([]);
    });

    test("that are active, of all repositories or of one", async () => {
      await store.sessions.insert(session(1));
      await store.sessions.insert({ ...session(2), repository_id: "rep_2" });
      await store.sessions.insert({ ...session(3), status: "finished" });
      expect((await store.sessions.listActive()).map(({ id }) => id)).toEqual(["ses_1", "ses_2"]);
      expect((await store.sessions.listActive("rep_2")).map(({ id }) => id)).toEqual(["ses_2"]);
    });

    test("change field by field", async () => {
      await store.sessions.insert(session(1));
      const usage = { model_calls: 1, input_tokens: 2, output_tokens: 3 };
      const change = { agent_status: "working" as const, auto_commit: true, usage, updated_at: time(5) };
      expect(await store.sessions.update("ses_1", change)).toEqual({ ...session(1), ...change });
      expect(await store.sessions.update("ses_2", change)).toBeUndefined();
    });

    test("are leased to one owner until the time is over or it is given back", async () => {
      await store.sessions.insert(session(1));
      expect(await store.sessions.lease("ses_1", "a", 100, 0)).toBe(true);
      expect(await store.sessions.lease("ses_1", "b", 200, 50)).toBe(false);
      expect(await store.sessions.lease("ses_1", "a", 150, 90)).toBe(true);
      expect(await store.sessions.lease("ses_1", "b", 300, 149)).toBe(false);
      expect(await store.sessions.lease("ses_1", "b", 300, 150)).toBe(true);
      await store.sessions.release("ses_1", "a");
      expect(await store.sessions.lease("ses_1", "a", 400, 200)).toBe(false);
      await store.sessions.release("ses_1", "b");
      expect(await store.sessions.lease("ses_1", "a", 400, 200)).toBe(true);
      expect(await store.sessions.lease("ses_2", "a", 400, 200)).toBe(false);
    });
  });

  describe("the timeline", () => {
    beforeEach(() => store.sessions.insert(session(1)));

    test("gives an event its revision, and a new one at each change", async () => {
      const first = await store.timeline.append("ses_1", message(1));
      const second = await store.timeline.append("ses_1", message(2));
      expect([first.revision, second.revision]).toEqual([1, 2]);
      const changed = await store.timeline.update("ses_1", "evt_1", { status: "completed", at: time(9) });
      expect(changed).toEqual({ ...first, status: "completed", revision: 3, updated_at: time(9) });
      expect(await eventsOf(store, "ses_1")).toEqual([changed, second]);
      expect(await store.timeline.revision("ses_1")).toBe(3);
    });

    test("counts each session's revisions apart", async () => {
      await store.sessions.insert(session(2));
      await store.timeline.append("ses_1", message(1));
      expect((await store.timeline.append("ses_2", message(2))).revision).toBe(1);
      expect(await store.timeline.revision("ses_3")).toBe(0);
    });

    test("gives what came after a revision, by revision, in portions", async () => {
      for (const number of [1, 2, 3]) await store.timeline.append("ses_1", message(number));
      await store.timeline.update("ses_1", "evt_1", { payload: { type: "user_message", message: "new" }, at: time(9) });
      const after = async (revision: number, limit: number) =>
        (await eventsOf(store, "ses_1", { after: revision, limit })).map(({ id }) => id);
      expect(await after(0, 10)).toEqual(["evt_2", "evt_3", "evt_1"]);
      expect(await after(2, 1)).toEqual(["evt_3"]);
      expect(await after(4, 10)).toEqual([]);
    });

    test("knows a message that its sender repeats", async () => {
      const first = await store.timeline.append("ses_1", { ...message(1), client_id: "c" });
      expect(await store.timeline.append("ses_1", { ...message(2), client_id: "c" })).toEqual(first);
      expect(await store.timeline.revision("ses_1")).toBe(1);
      await store.timeline.append("ses_1", { ...message(3), client_id: "" });
      await store.timeline.append("ses_1", { ...message(4), client_id: "" });
      await store.timeline.append("ses_1", { ...message(5), payload: { type: "agent_message", message: "x" }, client_id: "c" });
      expect(await eventsOf(store, "ses_1")).toHaveLength(4);
    });

    test("is the queue: events of a status, in order", async () => {
      await store.timeline.append("ses_1", { ...message(1), status: "processing" });
      await store.timeline.append("ses_1", message(2));
      await store.timeline.append("ses_1", { ...message(3), payload: { type: "agent_ask_user", question: "?" } });
      await store.timeline.append("ses_1", message(4));
      const queued = async (...rest: [] | ["user_message"]) =>
        (await store.timeline.withStatus("ses_1", "queued", ...rest)).map(({ id }) => id);
      expect(await queued()).toEqual(["evt_2", "evt_3", "evt_4"]);
      expect(await queued("user_message")).toEqual(["evt_2", "evt_4"]);
    });

    test("keeps every character of a payload", async () => {
      const text = "\0 \u001b[31m \r\n \ud83d\ude00 ü \u2028";
      await store.timeline.append("ses_1", {
        ...message(1),
        payload: { type: "user_message", message: text, more: { nested: [1, null] } },
      });
      expect((await eventsOf(store, "ses_1"))[0]?.payload).toEqual({
        type: "user_message",
        message: text,
        more: { nested: [1, null] },
      });
    });

    test("refuses a session that isn't there, and an event of another session", async () => {
      await expect(store.timeline.append("ses_9", message(1))).rejects.toMatchObject({ kind: "not_found" });
      await store.sessions.insert(session(2));
      await store.timeline.append("ses_1", message(1));
      expect(await store.timeline.update("ses_2", "evt_1", { status: "canceled", at: time(9) })).toBeUndefined();
      expect(await store.timeline.revision("ses_2")).toBe(0);
    });

    test("gives many writers at once revisions without gap or double", async () => {
      const events = await Promise.all(
        Array.from({ length: 50 }, (_, number) => store.timeline.append("ses_1", message(number))),
      );
      expect(events.map(({ revision }) => revision ?? 0).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    });
  });

  describe("a transaction", () => {
    test("is all or nothing, with those inside it", async () => {
      await store.sessions.insert(session(1));
      const failed = store.transaction(async (trx) => {
        await trx.repositories.insert(repository(1));
        await trx.timeline.append("ses_1", message(1));
        await trx.transaction((inner) => inner.repositories.insert(repository(2)));
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      expect((await store.repositories.list({})).items).toEqual([]);
      expect(await store.timeline.revision("ses_1")).toBe(0);
      expect(await store.transaction((trx) => trx.timeline.append("ses_1", message(1)))).toMatchObject({ revision: 1 });
    });

    test("is not seen by others half way", async () => {
      await store.sessions.insert(session(1));
      const both = store.transaction(async (trx) => {
        await trx.timeline.append("ses_1", message(1));
        await trx.timeline.append("ses_1", message(2));
      });
      const seen = await eventsOf(store, "ses_1");
      await both;
      expect([0, 2]).toContain(seen.length);
    });
  });

  test("what was written is there after it was closed and opened again", async () => {
    await store.sessions.insert(session(1));
    const event = await store.timeline.append("ses_1", message(1));
    await store.close();
    store = await open();
    expect(await eventsOf(store, "ses_1")).toEqual([event]);
  });

  test("a database that a newer ferry wrote is refused", async () => {
    const database = await engine.open();
    await database.insertInto("migrations").values({ version: 999, name: "future" }).execute();
    await database.destroy();
    await expect(open()).rejects.toMatchObject({
      kind: "failure",
      message: `the service's database has version 999, this ferry knows ${migrations.length}`,
    });
  });
});
