import { text as readAll } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { SendResponse } from "../../../src/host/host.ts";
import { makeTestClient } from "../../support/client.ts";
import { text } from "../../support/login-server.ts";

const key = 'fe/fe+ke"y';
const params = { sessionId: "ses_1" };

function clientOf(answer: SendResponse, showSecrets = false) {
  return makeTestClient(async () => answer, { key: { value: key, source: "the test" }, showSecrets });
}

/** The text in two pieces. */
function inTwo(said: string, at: number): SendResponse {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(said.slice(0, at));
    yield Buffer.from(said.slice(at));
  }
  return { ...text(200, ""), body: body() };
}

const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

const read = async ({ body }: SendResponse) => readAll(body);

test("a key that the service says back is in no field of an answer, nor in a header", async () => {
  const session = { id: "ses_1", title: `the key ${key}`, further: [key] };
  expect(await clientOf(text(200, JSON.stringify(session))).readSession({ params })).toEqual({
    ...{ id: "ses_1", title: "the key <redacted>", further: ["<redacted>"] },
  });
  const { headers } = await clientOf(text(200, "", { "x-echo": `is ${key}` })).raw("GET", "/");
  expect(headers).toEqual({ "x-echo": "is <redacted>" });
});

test.each([
  ["as it is", key],
  ["in an address", encodeURIComponent(key)],
  ["in JSON", JSON.stringify(key).slice(1, -1)],
  ["in JSON that escapes the slash", JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/")],
  ["in JSON that escapes all but letters", key.replace(/[^a-z]/gu, escaped)],
  [
    "in JSON that escapes everything, in capitals",
    key.replace(/./gu, (c) => escaped(c).replace(/[a-f]/gu, (d) => d.toUpperCase())),
  ],
])("%s it is cut wherever the answer is in pieces, and all else comes as it was", async (_, form) => {
  const said = `é fe/ ${form}${form}, fe/fe`;
  for (let at = 0; at <= said.length; at++)
    expect(await read(await clientOf(inTwo(said, at)).raw("GET", "/"))).toBe("é fe/ <redacted><redacted>, fe/fe");
});

test("a line of a stream waits for nothing that comes after it", async () => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`data: ${key}\n\n`);
    await new Promise(() => undefined);
  }
  const { body: lines } = await clientOf({ ...text(200, ""), body: body() }).raw("GET", "/");
  const line = await lines[Symbol.asyncIterator]().next();
  expect(String(line.value)).toBe("data: <redacted>\n\n");
});

test("with --show-secrets it comes as it was, and commits do in any case", async () => {
  expect(await read(await clientOf(text(200, key), true).raw("GET", "/"))).toBe(key);
  for (const accept of ["application/mbox", "application/x-git-bundle"])
    expect(await clientOf(text(200, key)).stream("readPatches", { params, accept }, read)).toBe(key);
});
