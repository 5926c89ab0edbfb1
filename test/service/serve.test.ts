import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SendResponse } from "../../src/host/host.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { serve, type ServeHost, type ServeOptions } from "../../src/service/serve.ts";
import type { RunningService } from "../../src/service/running/run-service.ts";
import type { AnswerOf, BodyOf } from "../../src/wire/contract.ts";
import { type RouteName, routePath, routes } from "../../src/wire/routes.ts";
import { dist } from "../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../support/git.ts";
import { makeServicePlace, type ServicePlace } from "../support/service-host.ts";

const folder = makeFolder("ferry-serve-");
let place: ServicePlace;
let base: string;
beforeAll(async () => {
  place = await makeServicePlace();
  base = commitFiles(makeRepository(join(folder.path, "repository")), { "a.txt": "a\n" }, "first");
});
afterAll(async () => {
  await place.leave();
  folder.remove();
});

test("the whole: a session works on a repository, is followed, and its commits come out; a restart has it all", async () => {
  const first = await start();
  const repository = await call(first, "createRepository", {
    body: { platform: "git", name: "r", full_name: "local/r", clone_url: join(folder.path, "repository") },
  });
  const session = await call(first, "createSession", {
    body: { repository_id: repository.id, auto_commit: true, base_commit: base, message: "printf 'b\\n' > b.txt" },
  });
  const params = { sessionId: session.id };
  const followed = await follow(first, session.id, ({ type, status }) => type === "user_message" && status === "completed");
  expect(followed.map(({ revision }) => revision)).toEqual(
    [...followed.map(({ revision }) => revision)].sort((a, b) => (a ?? 0) - (b ?? 0)),
  );
  expect(followed.map(({ type }) => type)).toContain("agent_file_create");

  const manifest = await call(first, "readPatches", { params });
  expect(manifest).toMatchObject({ base_commit: base, mailable: true, items: [{ sequence: 1, parents: [base] }] });
  const mbox = await text(await send(first, "readPatches", { params, accept: "application/mbox" }));
  expect(mbox).toMatch(new RegExp(`^From ${manifest.head_commit} [^]*\\n\\+b\\n`, "u"));
  const timeline = await call(first, "readEvents", { params });
  await first.stop();

  const second = await start();
  expect(await call(second, "readEvents", { params })).toEqual(timeline);
  expect(await call(second, "readPatches", { params })).toEqual(manifest);
  expect(await call(second, "readSession", { params })).toMatchObject({ status: "active", agent_status: "idle" });
});

test("strictly, a sandbox that isn't all that it should be is refused", async () => {
  const refused = serve({ ...settings(), sandbox: "process", strict: true }, hostOf(place));
  await expect(refused).rejects.toMatchObject({
    kind: "failure",
    details: expect.arrayContaining(["the agent can do to this machine what the service can"]) as string[],
  });
});

test.each<[Partial<ServeOptions>, Readonly<Record<string, string>>, string]>([
  [{ agent: "nobody" }, {}, 'there is no agent "nobody"'],
  [{ sandbox: undefined }, { FERRY_SANDBOX: "process" }, `FERRY_SANDBOX can't be "process"`],
  [{ sandbox: undefined }, { FERRY_SANDBOX: "box" }, `FERRY_SANDBOX can't be "box"`],
])("serve with %j and %j is refused: %s", async (options, env, message) => {
  const host = { ...hostOf(place), env: { ...place.host.env, ...env } };
  await expect(serve({ ...settings(), ...options }, host)).rejects.toMatchObject({ kind: "usage", message });
});

function hostOf({ host }: ServicePlace): ServeHost {
  return { ...host, home: folder.path, self: [process.execPath], dist, network: makeNetwork({}) };
}

function settings(): ServeOptions {
  return { data: place.data, sandbox: "process", write: (line) => place.log.push(line) };
}

const start = () => serve(settings(), hostOf(place));

interface Asked<R extends RouteName> {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<R>;
  readonly accept?: string;
}

async function call<R extends RouteName>(service: RunningService, name: R, asked: Asked<R>): Promise<AnswerOf<R>> {
  const answer = await send(service, name, asked);
  const said = await text(answer);
  expect([answer.status < 300, said]).toEqual([true, said]);
  return JSON.parse(said) as AnswerOf<R>;
}

async function send<R extends RouteName>(
  service: RunningService,
  name: R,
  { params, body, accept }: Asked<R>,
): Promise<SendResponse> {
  return makeNetwork({}).overSocket(service.socket)({
    method: routes[name].method,
    url: `http://localhost${routePath(name, params)}`,
    headers: {
      "x-api-key": await readFile(join(service.data, "key"), "utf8"),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(accept !== undefined && { accept }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function text({ body }: SendResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

type Event = AnswerOf<"readEvents">[number];

/** The events that the stream brings, up to the first that satisfies. */
async function follow(service: RunningService, sessionId: string, satisfied: (event: Event) => boolean): Promise<Event[]> {
  const answer = await send(service, "readEvents", { params: { sessionId }, accept: "text/event-stream" });
  const events: Event[] = [];
  let rest = "";
  for await (const chunk of answer.body) {
    rest += Buffer.from(chunk).toString("utf8");
    const frames = rest.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^id: \d+\nevent: session_event\ndata: (.*)$/u.exec(frame)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data) as Event;
      events.push(event);
      if (!satisfied(event)) continue;
      await answer.cancel();
      return events;
    }
  }
  throw new Error("the stream ended before");
}
