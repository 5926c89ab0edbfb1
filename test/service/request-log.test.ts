import { expect, test } from "vitest";
import { makeLog } from "../../src/service/log.ts";
import { withRequestLog } from "../../src/service/running/request-log.ts";
import { makeTestClock } from "../support/clock.ts";

test("requests that are refused without end have so many lines a minute, and then one that counts the rest", async () => {
  const clock = makeTestClock();
  const lines: { message: string; path?: string; count?: number }[] = [];
  const log = makeLog((line) => void lines.push(JSON.parse(line) as (typeof lines)[number]), clock);
  const app = withRequestLog(() => Promise.resolve(new Response("", { status: 401 })), log, clock);
  for (let at = 0; at < 1000; at++) await app(new Request(`http://localhost/${at}`));
  expect(lines).toHaveLength(120);

  clock.advance(60_000);
  await app(new Request("http://localhost/later"));
  expect(lines.slice(120)).toMatchObject([
    { message: "requests without a line of their own", count: 880 },
    { message: "request", path: "/later" },
  ]);
  clock.advance(60_000);
  await app(new Request("http://localhost/last"));
  expect(lines.slice(122)).toMatchObject([{ message: "request", path: "/last" }]);
});
