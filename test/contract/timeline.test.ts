import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import type { Store, TimelinePart } from "../../src/service/store/store.ts";
import { engines, type Engine } from "../support/engines.ts";
import { eventsOf } from "../support/events-of.ts";
import { ada, message, session, time } from "../support/records.ts";

describe.each(Object.entries(engines))("a timeline over %s", (_, makeEngine) => {
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    engine = await makeEngine();
    store = await openSqlStore(await engine.open(), () => ({ id: "wsp_1", name: "local" }));
    await store.keys.insertUser(ada);
    await store.sessions.insert(session(1));
  });
  afterEach(async () => {
    await store.close();
    await engine.clear();
  });

  test("gives large events in pages of little size, whichever way they are read", async () => {
    const mebibytes = [1, 3, 9, 0, 1];
    for (const [at, size] of mebibytes.entries())
      await store.timeline.append("ses_1", {
        ...message(at),
        payload: { type: "agent_message", message: "x".repeat(size * 2 ** 20) },
      });
    const pages = async (part?: TimelinePart) => {
      const sizes: number[] = [];
      for await (const page of store.timeline.pages("ses_1", part)) sizes.push(page.length);
      return sizes;
    };
    expect(await pages()).toEqual([1, 1, 1, 2]);
    expect(await pages({ after: 1 })).toEqual([1, 1, 2]);
    expect(await pages({ after: 0, limit: 2 })).toEqual([1, 1]);
    expect(await eventsOf(store, "ses_1")).toHaveLength(5);
  });

  test("an event that changes while it is read by revision comes as it is now", async () => {
    for (const number of [1, 2]) await store.timeline.append("ses_1", message(number));
    const pages = store.timeline.pages("ses_1", { after: 0 });
    await pages.next();
    await store.timeline.update("ses_1", "evt_1", { status: "completed", at: time(9) });
    expect((await pages.next()).value).toMatchObject([{ id: "evt_1", status: "completed" }]);
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });
});
