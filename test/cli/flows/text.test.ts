import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld } from "../../support/world.ts";

const url = "https://agents.example.com";
const service = makeSeedService();
const world = makeWorld({ tty: true, env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
world.services.set(url, service.send);
afterAll(() => world.dispose());

const written = "fix the test\n\n- all of it\n";

test.each([
  [["run", "--pull", "none", "--base", "main"]],
  [["say", "--session", "unknown"]],
  [["message", "send", "unknown"]],
  [["schedule", "create", "nightly", "--every", "1d"]],
])("what was written in an editor and can't be sent is kept, and told with the way to send it: %j", async (argv) => {
  const there = world.next();
  there.prompt.expect("(editor)", written);
  const { code, stderr } = await ferry(there, ...argv);
  expect(code).not.toBe(0);
  const [, path = ""] = /what you wrote is kept: send it with -F (\S+)$/mu.exec(stderr) ?? [];
  expect(readFileSync(path, "utf8")).toBe(written);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("words in the place of the session are told as that, before an editor opens", async () => {
  expect(await ferry(world.next(), "message", "send", "go on")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the session is missing\n  hint: name it before the message") as string,
  });
});

test("what was sent is not kept, nor what stood in the arguments", async () => {
  service.sessions.push({ id: "0001", status: "active" });
  const there = world.next();
  there.prompt.expect("(editor)", written);
  const sent = await ferry(there, "say", "--session", "0001");
  const named = await ferry(world.next(), "say", "--session", "unknown", "words");
  expect([sent.code, named.code]).toEqual([0, 5]);
  expect(sent.stderr + named.stderr).not.toContain("kept");
});

test("a message that isn't UTF-8 is refused, and nothing is sent", async () => {
  service.sessions.push({ id: "0002", status: "active" });
  const there = world.next();
  writeFileSync(join(there.folder, "latin1.md"), Buffer.from("für dich\n", "latin1"));
  const { code, stderr } = await ferry(there, "message", "send", "0002", "-F", "latin1.md");
  expect(code).toBe(2);
  expect(stderr).toBe("ferry: the message in latin1.md isn't UTF-8\n  hint: give it as UTF-8, see iconv\n");
  expect(await ferry(world.next(), "message", "list", "0002", "--json")).toMatchObject({ code: 0, stdout: "[]\n" });
});
