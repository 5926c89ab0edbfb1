import { describe, expect, test } from "vitest";
import { makeLiveTimeline } from "../../../../src/cli/output/timeline/live.ts";
import type { EventItem, TimelineEvent } from "../../../../src/client/timeline/items.ts";
import { someEvent } from "../../../support/canvas.ts";

function play(isTTY = true, term = "xterm") {
  let [written, writes] = ["", 0];
  const stdout = {
    isTTY,
    columns: 80,
    rows: 24,
    color: false,
    write: async (text: string | Uint8Array) => {
      written += String(text);
      writes++;
    },
  };
  let away = false;
  const wasAway = async () => {
    const was = away;
    away = false;
    return was;
  };
  let inFront = true;
  const live = makeLiveTimeline({ stdout, unicode: true, wasAway, isInFront: () => inFront }, term, {
    now: Date.parse(someEvent("agent_message", {}).created_at ?? ""),
  });
  const show = async (event: TimelineEvent, update = false, late = false): Promise<string> => {
    written = "";
    const item: EventItem = { event, update, late };
    await live.show([item]);
    return written;
  };
  const write = async (text: string): Promise<string> => {
    written = "";
    await live.write(text);
    return written;
  };
  const settle = async (): Promise<string> => {
    written = "";
    await live.settle();
    return written;
  };
  const showAll = async (events: readonly TimelineEvent[]): Promise<[written: string, writes: number]> => {
    [written, writes] = ["", 0];
    await live.show(events.map((event) => ({ event, update: false, late: false })));
    return [written, writes];
  };
  /** The program is stopped and goes on. */
  const leave = () => void (away = true);
  const place = (where: "in front" | "behind") => void (inFront = where === "in front");
  return { show, showAll, write, settle, live, stdout, leave, place };
}

const command = (status: string, id = "evt_1") => ({
  ...someEvent("agent_run_repository_command", { command: "make", exit_code: 0 }, status),
  id,
});
const running = (output: string, status = "processing") =>
  someEvent("agent_run_repository_command", { command: "make", output, exit_code: 0 }, status);
const over = (rows: number) => `\u001b[${rows}A\u001b[K`;

test("many events at once are one write, and the last of them is drawn over as any", async () => {
  const { show, showAll } = play();
  const [written, writes] = await showAll([command("completed", "evt_1"), command("processing", "evt_2")]);
  expect([written.split("\n").length, writes]).toEqual([5, 1]);
  expect(await show(command("completed", "evt_2"), true)).toMatch(over(2));
  expect(await showAll([])).toEqual(["", 0]);
});

test("after the program was stopped and goes on, nothing is drawn over what the shell wrote meanwhile", async () => {
  const { show, write, settle, leave } = play();
  await show(command("processing"));
  leave();
  expect(await show(command("completed"), true)).not.toContain("\u001b[");
  await write("one");
  leave();
  expect(await write(" two")).toMatch(/^[^\u001b]*one two\n$/u);
  expect(await write(" three")).toMatch(over(1));
  leave();
  expect(await settle()).toBe("");
});

test.each<[string, (played: ReturnType<typeof play>) => unknown]>([
  ["the program was stopped and goes on", ({ leave }) => leave()],
  ["something else was written", ({ settle }) => settle()],
])("after %s, what grows is drawn whole once, and goes on in place", async (_why, between) => {
  const played = play();
  const { show } = played;
  await show(running("one\n"));
  await between(played);
  const anew = await show(running("one\ntwo\n"), true);
  expect(anew).toMatch(/\$ make\n.* one\n +two\n/su);
  expect(anew).not.toContain("\u001b[");
  expect(await show(running("one\ntwo\nthree\n"), true)).toMatch(over(anew.split("\n").length - 1));
});

test("what grows is not drawn anew where another came after it", async () => {
  const { show, leave } = play();
  await show(running("one\n"));
  leave();
  await show(command("completed", "evt_2"));
  expect(await show(running("one\ntwo\n"), true)).toBe("");
});

test("in the background nothing is drawn over: all is told as in a pipe, and goes on in place in front again", async () => {
  const { show, write, settle, place } = play();
  await show(running("one\n"));
  place("behind");
  expect(await show(running("one\ntwo\n"), true)).toBe("");
  expect(await show(running("one\ntwo\n", "completed"), true)).toMatch(/^[^\u001b]*exit 0: make\n +one\n +two\n$/u);
  const next = (output: string, status?: string) => ({ ...running(output, status), id: "evt_2" });
  expect(await show(next("three\n"))).toMatch(/\$ make\n +running\n$/u);
  expect(await write("a ")).toBe("");
  place("in front");
  expect(await show(next("three\nfour\n"), true)).toMatch(/^[^\u001b]*\$ make\n[^\u001b]* three\n +four\n/u);
  expect(await write("draft")).toMatch(/^[^\u001b]*a draft\n$/u);
  place("behind");
  expect(await write(" more")).toBe("");
  expect(await settle()).toBe("");
});

test("the day is told where it is another than that of the line above; a change of the event leaves it there", async () => {
  const { show } = play();
  const at = (created_at: string, id: string, status = "completed") => ({ ...command(status, id), created_at });
  expect(await show(at("2026-01-30T12:00:00Z", "evt_1"))).toMatch(/^── 2026-01-30 ──\n\d/u);
  expect(await show(at("2026-01-30T12:00:01Z", "evt_2"))).not.toContain("──");
  expect(await show(at("2026-01-31T12:00:00Z", "evt_3", "processing"))).toMatch(/^── 2026-01-31 ──\n\d/u);
  const update = await show(at("2026-01-31T12:00:00Z", "evt_3"), true);
  expect(update).toMatch(over(2));
  expect(update).not.toContain("──");
  expect(await show(at("no time", "evt_4"))).not.toContain("──");
  expect(await play(false).show(at("2026-01-30T12:00:00Z", "evt_1"))).not.toContain("──");
});

test("a change of the last event is drawn over it", async () => {
  const { show } = play();
  expect(await show(command("processing"))).toMatch(/\$ make\n +running\n$/);
  const update = await show(command("completed"), true);
  expect(update.startsWith(over(2))).toBe(true);
  expect(update).toContain("✓ exit 0");
});

test.each<[string, (played: ReturnType<typeof play>) => Promise<unknown>]>([
  ["another came after it", ({ show }) => show(command("completed", "evt_2"))],
  ["something else was written", ({ live }) => live.settle()],
])("but not where %s", async (_why, between) => {
  const played = play();
  await played.show(command("processing"));
  await between(played);
  const update = await played.show(command("completed"), true);
  expect(update).not.toContain("\u001b");
  expect(update).toContain("✓ exit 0");
});

test.each<[string, boolean, string]>([
  ["in a pipe", false, "xterm"],
  ["on a dumb terminal", true, "dumb"],
])("%s nothing is drawn over", async (_where, isTTY, term) => {
  const { show } = play(isTTY, term);
  await show(command("processing"));
  expect(await show(command("completed"), true)).not.toContain("\u001b");
});

test("what is higher than a screen may be is not drawn over", async () => {
  const { show } = play();
  const plan = (count: number) => someEvent("agent_plan_execution_update", { entries: Array(count).fill({ content: "x" }) });
  await show(plan(30));
  expect(await show(plan(31), true)).not.toContain("\u001b");
});

test("what is higher than the terminal itself isn't either", async () => {
  const { show, stdout } = play();
  const plan = (count: number) => someEvent("agent_plan_execution_update", { entries: Array(count).fill({ content: "x" }) });
  stdout.rows = 12;
  await show(plan(10));
  expect((await show(plan(11), true)).startsWith(over(11))).toBe(true);
  expect(await show(plan(11), true)).not.toContain("\u001b");
});

test("in a pipe a command that grows is told when it begins and when it has ended, and its output once", async () => {
  const { show } = play(false);
  expect(await show(running("one\n"))).toMatch(/\$ make\n +running\n$/);
  expect(await show(running("one\ntwo\n"), true)).toBe("");
  expect(await show(running("one\ntwo\n", "completed"), true)).toMatch(/exit 0: make\n +one\n +two\n$/);
});

test("a message that grew and came to nothing more isn't repeated", async () => {
  const { show } = play(false);
  const message = (text: string, status: string) => someEvent("agent_message", { message: text }, status);
  expect(await show(message("all", "processing"))).toContain("all");
  expect(await show(message("all", "completed"), true)).toBe("");
  expect(await show(message("all of it", "processing"))).toContain("all of it");
  expect(await show(message("all of it, and more", "completed"), true)).toContain("and more");
});

test.each([true, false])("a message that says nothing has no line (terminal: %s)", async (isTTY) => {
  const { show, write } = play(isTTY);
  expect(await show(someEvent("agent_message", { message: " \n" }))).toBe("");
  await write("I look");
  await show(someEvent("agent_message", { message: "" }));
  if (isTTY) expect(await write("new")).toBe(`${over(1)}          ● new\n\u001b[J`);
});

test("a late one is marked, a change that says nothing isn't written", async () => {
  const { show } = play();
  expect(await show(someEvent("system_message", { message: "x" }), false, true)).toContain("late");
  await show({ ...someEvent("user_message", { message: "x" }, "processing"), id: "m" });
  await show(command("completed", "evt_9"));
  expect(await show({ ...someEvent("user_message", { message: "x" }), id: "m" }, true)).toBe("");
});

describe("what is being written", () => {
  test("grows in its place, and gives it to the message that it becomes", async () => {
    const { show, write } = play();
    expect(await write("I look")).toBe(`          ● I look\n`);
    expect(await write("\nat it")).toBe(`${over(1)}          ● I look\n\u001b[K            at it\n\u001b[J`);
    const message = await show(someEvent("agent_message", { message: "I look at it" }));
    expect(message.startsWith(over(2))).toBe(true);
    expect(await write("new")).toBe("          ● new\n");
  });

  test("shows its end alone where it is long, harmless", async () => {
    const { write } = play();
    const text = await write(`${"x\n".repeat(30)}\u001b[2Jend`);
    expect(text.split("\n")).toHaveLength(7);
    expect(text).toMatch(/● …\n +x\n[^]*␛\[2Jend\n$/u);
  });

  test("goes when something else is said, and isn't shown where nothing can be drawn over", async () => {
    const played = play();
    await played.write("I look");
    expect(await played.settle()).toBe(`${over(1)}\n\u001b[1A`);
    expect(await played.settle()).toBe("");
    expect(await play(false).write("I look")).toBe("");
    expect(await play(true, "dumb").write("I look")).toBe("");
  });
});

describe("on a terminal that has another width now", () => {
  const plan = (text: string) => someEvent("agent_plan_execution_update", { entries: [{ content: text }] }, "processing");

  test("as many rows are drawn over as the lines have there", async () => {
    const { show, stdout } = play();
    await show(plan("x".repeat(60)));
    stdout.columns = 50;
    // The head fits, the entry of 74 columns has two rows; drawn anew it has two lines of its own.
    expect((await show(plan("x".repeat(60)), true)).startsWith(over(3))).toBe(true);
    stdout.columns = 80;
    expect((await show(plan("x"), true)).startsWith(over(3))).toBe(true);
    expect((await show(plan("y"), true)).startsWith(over(2))).toBe(true);
  });

  test("a wide character goes to the next row as a whole, and what is being written is drawn over as well", async () => {
    const { write, stdout } = play();
    // Twelve columns, then 30 characters of two: in 25 columns six of them fit, and twelve in each further row.
    await write("漢".repeat(30));
    stdout.columns = 25;
    expect((await write("字")).startsWith(over(3))).toBe(true);
  });

  test("a character that some terminals show narrow never has a row too many drawn over", async () => {
    const { write, stdout } = play();
    await write("❤️".repeat(30));
    stdout.columns = 42;
    expect((await write("x")).startsWith(over(1))).toBe(true);
  });

  test("what has become higher than the terminal is not drawn over", async () => {
    const { show, stdout } = play();
    stdout.rows = 4;
    await show(plan("x".repeat(60)));
    stdout.columns = 20;
    expect(await show(plan("x"), true)).not.toContain("\u001b");
  });
});

describe("in a pipe, what is done and then is canceled or done", () => {
  const diff = "@@ -1 +1 @@\n-a\n+b\n";
  const edit = (status: string, more = "") => someEvent("agent_file_edit", { file_path: "x", diff: diff + more }, status);

  test("is told once, and its new state in a line", async () => {
    const { show } = play(false);
    expect(await show(edit("queued"))).toMatch(/edited x \+1 −1\n(.*\n){3} +queued\n$/u);
    expect(await show(edit("queued"), true)).toBe("");
    expect(await show(edit("processing"), true)).toMatch(/^\S+ {2}· running: edited x \+1 −1\n$/u);
    expect(await show(edit("processing"), true)).toBe("");
    expect(await show(edit("completed"), true)).toMatch(/^\S+ {2}· done: edited x \+1 −1\n$/u);
    await show(someEvent("agent_push_to_remote", { branch: "main" }, "processing"));
    expect(await show(someEvent("agent_push_to_remote", { branch: "main" }, "canceled"), true)).toMatch(
      /^\S+ {2}✗ canceled: pushed main\n$/u,
    );
  });

  test("is told as a whole where there is more to it by now", async () => {
    const { show } = play(false);
    await show(edit("processing"));
    expect(await show(edit("completed", "@@ -9 +9 @@\n-c\n+d\n"), true)).toMatch(/edited x \+2 −2\n(.*\n){6}$/u);
    await show(someEvent("agent_search_files", { query: "q" }, "processing"));
    expect(await show(someEvent("agent_search_files", { query: "q", matches: [] }, "completed"), true)).toMatch(
      /q: 0 matches\n$/u,
    );
  });
});

test("on a terminal what isn't the last any more gets its new state in a line below", async () => {
  const { show } = play();
  const push = (status: string) => someEvent("agent_push_to_remote", { branch: "main" }, status);
  await show(push("processing"));
  await show({ ...someEvent("agent_file_read", { paths: ["a"] }), id: "read" });
  expect(await show(push("completed"), true)).toMatch(/· done: pushed main\n$/u);
});

test("on a terminal, too, it isn't told as a whole again once its state stands in a line of its own", async () => {
  const { show } = play();
  const edit = (status: string) => someEvent("agent_file_edit", { file_path: "x", diff: "@@ -1 +1 @@\n-a\n+b\n" }, status);
  await show(edit("queued"));
  await show({ ...someEvent("agent_file_read", { paths: ["a"] }), id: "read" });
  expect(await show(edit("processing"), true)).toMatch(/· running: edited x \+1 −1\n$/u);
  expect(await show(edit("processing"), true)).toBe("");
  const done = await show(edit("completed"), true);
  expect(done.startsWith(over(1))).toBe(true);
  expect(done).toMatch(/· done: edited x \+1 −1\n/u);
  expect(done).not.toContain("-a");
});
