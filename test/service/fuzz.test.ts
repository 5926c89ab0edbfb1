import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contract, type Operation } from "../../src/wire/contract.ts";
import { type RouteName, routes } from "../../src/wire/routes.ts";
import { type AskService, makeAsk, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
let ids: string[];
beforeAll(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
  const repository = await must(ask, "createRepository", {
    body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a" },
  });
  const session = await must(ask, "createSession", { body: { message: "hi" } });
  service.sessions.setSeries(session.id, {
    manifest: {
      repository_id: repository.id,
      object_format: "sha1",
      base_commit: "a".repeat(40),
      head_commit: "b".repeat(40),
      mailable: true,
      reason: "",
      items: [],
      next_cursor: "",
    },
    mbox: [],
    bundle: [],
  });
  ids = [repository.id, session.id];
});
afterAll(() => service.close());

// The others answer 501.
const built = (Object.keys(routes) as RouteName[]).filter((name) => !/Schedule|^(?:analyzeRepository|readAnalysis)$/u.test(name));

/** Words of the contract mixed with anything: close enough to valid to get past the first check. */
function fieldsOf(schema: Operation["body"]): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(schema?.shape ?? {});
  const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom("x", ...names) }, fc.string());
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.jsonValue(),
    fc.constantFrom("active", "closed", "git", "gitlab", "/srv/b", "https://x/y", true, 1, "1", "a".repeat(40)),
  );
  return fc.dictionary(name, value, { maxKeys: 6 });
}

test.each(built)("%s answers anything with a status of its own and a body of its shape, never 5xx", async (name) => {
  const { body, query }: Operation = contract[name];
  const id = fc.oneof(
    fc.constantFrom(...ids),
    fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/^\.+$/u.test(text)),
  );
  const asked = fc.record({
    params: fc.record({ providerId: id, id, sessionId: id, keyId: id }),
    body: body === undefined ? fc.constant(undefined) : fc.oneof({ weight: 4, arbitrary: fieldsOf(body) }, fc.jsonValue()),
    query: fieldsOf(query).map((fields) =>
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, asText(value)])),
    ),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (given) => {
      const { status } = await ask(name, given);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
  expect(service.errors).toEqual([]);
});

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
