import { expect, test } from "vitest";
import { makeTestClient } from "../../support/client.ts";
import { makeScriptedSend } from "../../support/scripted-send.ts";

const params = { sessionId: "ses_1" };

test("errors call a service by its name where it has one: over a socket nobody gave its address", async () => {
  const script = makeScriptedSend({ status: 431 }, { status: 401 }, { status: 401 }, { status: 304 });
  const { readSession } = makeTestClient(script.send, { name: "local", patience: 0 });
  const failed = () =>
    readSession({ params }).then(
      () => expect.fail(),
      (error: unknown) => error,
    );
  expect(await failed()).toMatchObject({ message: "local answered GET /api/v1/sessions/ses_1 with 431" });
  expect(await failed()).toMatchObject({ hint: expect.stringMatching(/^local refused the key of /u) as string });
  expect(await failed()).toMatchObject({ message: expect.stringMatching(/^local answered /u) as string });
});

test("and by the host of its address where it has none", async () => {
  const { readSession } = makeTestClient(makeScriptedSend({ status: 431 }).send, { patience: 0 });
  const message = expect.stringMatching(/^[\w.:]+ answered GET /u) as string;
  await expect(readSession({ params })).rejects.toMatchObject({ message });
});
