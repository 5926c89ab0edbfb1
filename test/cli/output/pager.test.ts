import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReaderGoneError } from "../../../src/base/errors.ts";
import { inPager } from "../../../src/cli/output/pager.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

/** A terminal whose pager writes what it reads into a file. */
const there = (pager: string): World => world.next({ env: { PAGER: pager, OUT: join(world.folder, "out") } }, { tty: true });
const out = (): string => readFileSync(join(world.folder, "out"), "utf8");

test("what is printed goes through the pager, byte for byte, and nothing past it", async () => {
  const { host, terminal } = there('cat > "$OUT"');
  await inPager(host, async ({ terminal: { stdout } }) => {
    expect(stdout.isTTY).toBe(true);
    await stdout.write("one\n");
    await stdout.write(Buffer.from("zwei ä\n"));
  });
  expect(out()).toBe("one\nzwei ä\n");
  expect(terminal.written.stdout).toBe("");
});

test("less is told to leave short texts on the screen, unless the user says otherwise", async () => {
  await inPager(there('echo "$LESS" > "$OUT"').host, async ({ terminal }) => terminal.stdout.write("x"));
  expect(out()).toBe("FRX\n");
  const own = there('echo "$LESS" > "$OUT"').next({ env: { LESS: "S" } });
  await inPager(own.host, async ({ terminal }) => terminal.stdout.write("x"));
  expect(out()).toBe("S\n");
});

test("a pager that is quit ends the printing as a closed pipe does", async () => {
  const { host } = there("head -n 1 > /dev/null");
  const endless = inPager(host, async ({ terminal }) => {
    for (;;) {
      await terminal.stdout.write(`${"x".repeat(10_000)}\n`);
      await host.clock.sleep(0);
    }
  });
  await expect(endless).rejects.toBeInstanceOf(ReaderGoneError);
});

test("without such a pager the terminal gets all of it", async () => {
  for (const pager of ["no-such-pager 2> /dev/null", "/dev/null 2> /dev/null"]) {
    const { host, terminal } = there(pager);
    await inPager(host, async ({ terminal: { stdout } }) => {
      await stdout.write("one\n");
      await stdout.write("two\n");
    });
    expect(terminal.written.stdout).toBe("one\ntwo\n");
  }
});

test("a pager that fails is told, whether it read or not; one that a signal ended was quit", async () => {
  const show = (pager: string, text: string) =>
    inPager(there(pager).host, async ({ terminal: { stdout } }) => {
      for (let count = 0; count < 3; count++) await stdout.write(text);
    });
  for (const text of ["one\n", `${"x".repeat(100_000)}\n`])
    await expect(show("exit 3", text)).rejects.toMatchObject({
      kind: "failure",
      message: "the pager failed: exit 3 (exit 3)",
      hint: "without one: PAGER=cat",
    });
  await expect(show("cat > /dev/null; exit 1", "one\n")).rejects.toMatchObject({ kind: "failure" });
  await show("kill -HUP $$", "one\n").catch((error: unknown) => expect(error).toBeInstanceOf(ReaderGoneError));
  const failing = inPager(there("false").host, async ({ terminal: { stdout } }) => {
    await stdout.write("one\n");
    throw new Error("its own");
  });
  await expect(failing).rejects.toThrow("its own");
});

test("nothing to show, or a failure before anything: no pager", async () => {
  const { host } = there('echo started > "$OUT"');
  await inPager(host, async () => undefined);
  await expect(inPager(host, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(out).toThrow("ENOENT");
});

describe("as it is where", () => {
  test.each([
    ["PAGER is cat", { PAGER: "cat" }, true],
    ["PAGER is empty", { PAGER: "" }, true],
    ["the terminal is dumb", { PAGER: "false", TERM: "dumb" }, true],
    ["stdout is a pipe", { PAGER: "false" }, false],
  ])("%s", async (_, env, tty) => {
    const { host, terminal } = world.next({ env }, { tty });
    await inPager(host, async (inner) => inner.terminal.stdout.write("x\n"));
    expect(terminal.written.stdout).toBe("x\n");
  });
});

test("a command that is asked not to ask isn't paged either", async () => {
  const url = "https://agents.example.com";
  const service = makeSeedService();
  world.services.set(url, service.send);
  service.sessions.push({ id: "ses_1", created_at: "2026-01-01T00:00:00.000Z" });
  service.events.set("ses_1", [{ id: "evt_1", type: "system_message", payload: { type: "system_message", message: "hello" } }]);
  const env = { FERRY_HOST: url, FERRY_API_KEY: service.key };
  const events = (more: Record<string, string>, ...argv: readonly string[]) =>
    ferry(there('cat > "$OUT"').next({ env: { ...env, ...more } }), "events", "ses_1", ...argv);
  expect((await events({ CI: "1" })).stdout).toContain("hello");
  expect((await events({}, "--no-input")).stdout).toContain("hello");
  expect(out).toThrow("ENOENT");
  expect(await events({})).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(out()).toContain("hello");
});
