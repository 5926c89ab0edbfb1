import { expect, test } from "vitest";
import { makeWholeTimeline } from "../../../src/client/timeline/whole/array.ts";
import { systemFiles } from "../../../src/host/files.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { makeTestClient } from "../../support/client.ts";
import { kinds, outcome, play, shown, ways, work } from "../../support/following.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";

/** Reads the timeline of a service that answers each request so: nothing that holds an event; gives what was asked for. */
async function read(body: (count: number) => AsyncGenerator<Uint8Array>, clock = makeIdleClock()): Promise<string[]> {
  let count = 0;
  const asked: string[] = [];
  const headers = { "content-type": "application/json" };
  const answer = (): SendResponse => ({ status: 200, headers, body: body(count++), cancel: async () => undefined });
  const send = async ({ url }: { readonly url: string }) => {
    asked.push(new URL(url).search);
    return answer();
  };
  const client = makeTestClient(send, { clock });
  const whole = makeWholeTimeline({ client, sessionId: "ses_1", clock, makeSpool: systemFiles.makeSpool });
  for await (const batch of whole.read()) expect(batch.events).toEqual([]);
  return asked;
}

test("pages may be numbered, be it beyond 2^53", async () => {
  const cursors = ["7", "9007199254740993 ", '"x"', "null"];
  const pages = async function* (count: number) {
    yield Buffer.from(`{"items":[],"next_cursor":${cursors[count] ?? ""}}`);
  };
  expect(await read(pages)).toEqual(["", "?cursor=7", "?cursor=9007199254740993", "?cursor=x"]);
});

test.each(["false", "{}", "[1]"])("a cursor that is %s isn't taken for the end", async (cursor) => {
  const page = async function* () {
    yield Buffer.from(`{"items":[],"next_cursor":${cursor}}`);
  };
  await expect(read(page)).rejects.toMatchObject({ kind: "unavailable", message: /next_cursor is neither text nor/u });
});

test.each<[string, object[]]>([
  ["that are empty", []],
  ["of events that came before", [{ id: "a", type: "agent_message" }, { id: 7 }]],
])("pages %s, one after the other under ever new cursors, are no list", async (_what, items) => {
  const pages = async function* (count: number) {
    const served = items.map((item) => ({ ...item, served_at: count }));
    yield Buffer.from(JSON.stringify({ items: served, next_cursor: count < 100 ? `c${count}` : null }));
  };
  const told = { kind: "unavailable", message: /20 pages in a row with nothing new/u };
  await expect(read(pages)).rejects.toMatchObject(told);
});

test("an answer that only drips has an end", async () => {
  const clock = makeIdleClock();
  const drip = async function* () {
    yield Buffer.from("[");
    for (let count = 0; count < 1000; count++) {
      await clock.sleep(5000);
      yield Buffer.from(" ");
    }
    yield Buffer.from("]");
  };
  await expect(read(drip, clock)).rejects.toMatchObject({ kind: "unavailable", message: /drips/u });
  expect(clock.elapsed()).toBeLessThan(150_000);
});

test("an ETag that stays while events change is found out by the session's state", async () => {
  const tagged = play(ways.array, undefined, ({ send }) => async (request) => {
    const answer = await send(request);
    if (!request.url.endsWith("/events")) return answer;
    if (request.headers["if-none-match"] !== undefined) return { ...answer, status: 304 };
    return { ...answer, headers: { ...answer.headers, etag: '"x"' } };
  });
  const [items] = await Promise.all([tagged.watch({ message: "mine", timeout: 3_600_000 }), work(tagged)]);
  expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
  expect(shown(items)).toHaveLength(7);
  expect(tagged.clock.elapsed()).toBeLessThan(60_000);
});

test("a service that takes no notice of what we have isn't asked without a rest", async () => {
  const played = play(
    ways.after,
    undefined,
    ({ send }) =>
      async (request) =>
        send({ ...request, url: request.url.replace(/after=\d+/u, "after=0") }),
  );
  for (let count = 0; count < 600; count++) played.service.add("agent_message");
  await played.watch({ until: "never", timeout: 60_000 });
  expect(played.service.asked.length).toBeLessThan(60);
});

test("a rest of years is one of minutes, and told", async () => {
  const headers = { "retry-after": "99999999" };
  const played = play(ways.array, (_, count) => (count === 5 ? { status: 429, headers } : undefined));
  const [items] = await Promise.all([played.watch({ message: "mine" }), work(played)]);
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
  expect(kinds(items, "trouble")).toMatchObject([{ wait: 300_000 }]);
  expect(played.clock.elapsed()).toBeLessThan(400_000);
});

test("a session that is gone ends the following as one that is unknown", async () => {
  const played = play(ways.array, (_, count) => (count > 3 ? { status: 410 } : undefined));
  played.service.add("user_message", { status: "processing" });
  await expect(played.watch()).rejects.toMatchObject({ kind: "not_found", status: 410 });
});
