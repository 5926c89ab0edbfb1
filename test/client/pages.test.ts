import { describe, expect, test } from "vitest";
import { listAll, readList } from "../../src/client/pages.ts";
import { makeTestClient } from "../support/client.ts";
import { makeScriptedSend, type Step } from "../support/scripted-send.ts";

function play(...steps: Step[]) {
  const script = makeScriptedSend(...steps);
  const queries = () => script.asked.map(({ url }) => new URL(url).search);
  return { ...makeTestClient(script.send), queries };
}

const page = (ids: string, next?: unknown): Step => ({
  body: { items: Array.from(ids, (id) => ({ id })), next_cursor: next },
});
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).join("");

test.each([[undefined], [null], [""]])("goes on until the cursor is %j", async (last) => {
  const { listSessions, queries } = play(page("ab", "x y"), page("", "z"), page("c", last));
  expect(idsOf(await listAll(listSessions))).toBe("abc");
  expect(queries()).toEqual(["", "?cursor=x+y", "?cursor=z"]);
});

test("a cursor may be a number, and one beyond 2^53 is its digits", async () => {
  const large = { body: '{"items":[{"id":"b","next_cursor":1}],"next_cursor":9007199254740993 }' };
  const { listSessions, queries } = play(page("a", 7), large, page("c"));
  expect(idsOf(await listAll(listSessions))).toBe("abc");
  expect(queries()).toEqual(["", "?cursor=7", "?cursor=9007199254740993"]);
});

test.each([false, true, {}, ["x"]])("a cursor that is %j is an error, not the end of the list", async (next) => {
  const none = { kind: "unavailable", message: /next_cursor is neither text nor a number/u };
  await expect(listAll(play(page("a", next)).listSessions)).rejects.toMatchObject(none);
  await expect(readList(play(page("a", next)).listSessions, { limit: 1 })).rejects.toMatchObject(none);
});

test("a bare array is the whole list", async () => {
  expect(idsOf(await listAll(play({ body: [{ id: "a" }] }).listSessions))).toBe("a");
});

test("a cursor that came before is an error, not a loop", async () => {
  await expect(listAll(play(page("a", "x"), page("b", "y"), page("c", "x")).listSessions)).rejects.toMatchObject({
    kind: "unavailable",
  });
});

test.each([
  ["are empty", ""],
  ["bring the same again", "ab"],
])("ever new cursors to pages that %s are no list", async (_what, ids) => {
  const endless = play(...Array.from({ length: 50 }, (_, at) => page(ids, `c${at}`)));
  await expect(listAll(endless.listSessions)).rejects.toMatchObject({ kind: "unavailable", message: /list without end/u });
  expect(endless.queries().length).toBeLessThan(25);
});

test("a limit goes out only where it is given, and ends the reading", async () => {
  const { listSessions, queries } = play(page("abc", "x"));
  expect(await readList(listSessions, { limit: 2 })).toEqual({ items: [{ id: "a" }, { id: "b" }], more: true });
  expect(queries()).toEqual(["?limit=2"]);
  expect((await readList(play(page("ab", "x")).listSessions, { limit: 2 })).more).toBe(true);
  expect((await readList(play(page("ab")).listSessions, { limit: 2 })).more).toBe(false);
});

test("filters go out, and hold also where the service ignores them", async () => {
  const items = [{ id: "a", status: "active" }, { id: "b", status: "closed" }, { id: "c" }, { id: "d", status: null }];
  const { listSessions, queries } = play({ body: { items } });
  expect(idsOf(await listAll(listSessions, { filters: { status: "active", user_id: undefined } }))).toBe("acd");
  expect(queries()).toEqual(["?status=active"]);
});

test.each([400, 422])("refused with %i, a list is asked for once more without what was guessed", async (status) => {
  const told: string[] = [];
  const items = [
    { id: "a", status: "active" },
    { id: "b", status: "closed" },
  ];
  const { listSessions, queries } = play(
    { status, body: { error: "no such parameter" } },
    { body: { items, next_cursor: "x" } },
    { body: { items: [] } },
  );
  const { items: read, more } = await readList(listSessions, {
    filters: { status: "active" },
    limit: 10,
    trace: (line) => told.push(line),
  });
  expect([idsOf(read), more]).toEqual(["a", false]);
  expect(queries()).toEqual(["?status=active&limit=10", "", "?cursor=x"]);
  expect(told).toHaveLength(1);
});

test("refused without anything guessed, it is an error", async () => {
  await expect(listAll(play({ status: 400 }).listSessions)).rejects.toMatchObject({ kind: "usage" });
});

describe("newest first, with a limit", () => {
  const newest = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
  const limited = async (limit: number, ...pages: readonly string[]) => {
    const { listSessions, queries } = play(...pages.map((ids, at) => page(ids, at + 1 < pages.length ? `${at}` : null)));
    const { items, more } = await readList(listSessions, { limit, order: newest });
    return { ids: idsOf(items), more, read: queries().length };
  };

  test.each([
    ["come so: the rest is spared", 3, ["dc", "ba", "0"], { ids: "dcb", more: true, read: 2 }],
    ["come the other way round", 3, ["ab", "cd"], { ids: "dcb", more: true, read: 2 }],
    ["come so, but not from page to page", 2, ["b", "dc", "a"], { ids: "dc", more: true, read: 3 }],
    ["are no more than that", 2, ["a", "b"], { ids: "ba", more: false, read: 2 }],
  ])("items that %s", async (_, limit, pages, expected) => {
    expect(await limited(limit, ...pages)).toEqual(expected);
  });

  test("one item alone doesn't show it: two are asked for", async () => {
    const { listSessions, queries } = play(page("ab"));
    expect(idsOf((await readList(listSessions, { limit: 1, order: newest })).items)).toBe("b");
    expect(queries()).toEqual(["?limit=2"]);
  });
});

test("a page may have more items than a call takes arguments", async () => {
  const many = { body: { items: Array.from({ length: 200_000 }, (_, at) => ({ id: String(at) })), next_cursor: null } };
  expect((await listAll(play(many).listSessions)).length).toBe(200_000);
});
