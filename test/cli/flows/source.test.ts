import { describe, expect, test } from "vitest";
import { makePatchSource } from "../../../src/cli/flows/source.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeScriptedSend, type Step } from "../../support/scripted-send.ts";

function play(...steps: Step[]) {
  const script = makeScriptedSend(...steps);
  return { source: makePatchSource(makeTestClient(script.send, { patience: 0 }), "ses_1", "rep_1"), ...script };
}

const item = (sequence: number) => ({
  sequence,
  commit: `c${sequence}`,
  parents: [],
  tree: "t",
  raw: "",
  subject: "s",
  changes: [],
  bytes: 1,
  sha256: "",
  diff_offset: 1,
});
const page = (items: unknown[], change: object = {}): Step => ({
  body: {
    repository_id: "rep_1",
    object_format: "sha1",
    base_commit: "b",
    head_commit: "h",
    mailable: true,
    reason: "",
    items,
    next_cursor: "",
    ...change,
  },
});
const at = "/api/v1/sessions/ses_1/patches?repository_id=rep_1";

describe("the manifest", () => {
  test("is that of all pages, held to the end that the first one names", async () => {
    const { source, asked } = play(page([item(1)], { next_cursor: "x" }), page([item(2)], { next_cursor: "y" }), page([item(3)]));
    const { items, head_commit } = await source.manifest("");
    expect([items.map(({ commit }) => commit), head_commit]).toEqual([["c1", "c2", "c3"], "h"]);
    expect(asked.map(({ url }) => url.slice("http://localhost".length))).toEqual([
      at,
      `${at}&until=h&cursor=x`,
      `${at}&until=h&cursor=y`,
    ]);
  });

  test("after a commit is asked for after it", async () => {
    const { source, asked } = play(page([]));
    await source.manifest("c1");
    expect(asked[0]?.url).toMatch(/&after=c1$/);
  });

  test.each<[string, Step[]]>([
    ["pages in a circle", [page([], { next_cursor: "x" }), page([], { next_cursor: "x" })]],
    ["pages of another series", [page([], { next_cursor: "x" }), page([], { head_commit: "other" })]],
    ["no items", [page([], { items: null })]],
    ["an item without a commit", [page([{ ...item(1), commit: undefined }])]],
    ["a length that is no number", [page([{ ...item(1), bytes: "1" }])]],
    ["parents that are no texts", [page([{ ...item(1), parents: [1] }])]],
    ["nobody knows whether it is mail", [page([], { mailable: "yes" })]],
    ["no head", [page([], { head_commit: null })]],
  ])("is refused with %s", async (_what, steps) => {
    await expect(play(...steps).source.manifest("")).rejects.toMatchObject({ kind: "failure", code: "broken_manifest" });
  });

  test("that is rewritten keeps the service's word for it", async () => {
    const step = { status: 409, body: { statusCode: 409, code: "history_rewritten", error: "Conflict", message: "after: gone" } };
    await expect(play(step).source.manifest("c1")).rejects.toMatchObject({ kind: "failure", code: "history_rewritten" });
  });
});

describe("the bytes", () => {
  const read = async (bytes: AsyncIterable<Uint8Array>) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  test("come as they are, of exactly the range", async () => {
    const body = Uint8Array.of(0, 255, 13, 10, 233);
    const { source, asked } = play(
      { body, headers: { "content-type": "application/mbox" } },
      { body, headers: { "content-type": "application/x-git-bundle" } },
    );
    expect(await read(source.mbox("a", "h"))).toEqual(Buffer.from(body));
    expect(await read(source.bundle("", "h"))).toEqual(Buffer.from(body));
    expect(asked.map(({ url, headers }) => [url.split("rep_1")[1], headers["accept"]])).toEqual([
      ["&after=a&until=h", "application/mbox"],
      ["&until=h", "application/x-git-bundle"],
    ]);
  });

  test("of another kind are refused, and what is left unread is let go", async () => {
    const { source, open } = play(
      { body: "<html>", headers: { "content-type": "text/html" } },
      { body: "From x", headers: { "content-type": "application/mbox" } },
    );
    await expect(read(source.mbox("", "h"))).rejects.toMatchObject({ code: "broken_manifest" });
    const bytes = source.mbox("", "h")[Symbol.asyncIterator]();
    await bytes.next();
    await bytes.return?.();
    expect(open()).toBe(0);
  });
});
