import { describe, expect, test } from "vitest";
import { renderEvent } from "../../../src/cli/output/event.ts";
import { someEvent, testCanvas } from "../../support/canvas.ts";

const time = new Date("2026-01-01T10:20:30.000Z").toTimeString().slice(0, 8);

test.each([
  ["agent_push_to_remote", { branch: "main" }, "⎇", "pushed main"],
  ["agent_file_remove", { file_path: "data.db" }, "−", "removed data.db"],
])("a %s that isn't done doesn't pass for done", (type, payload, glyph, what) => {
  const lines = (status: string) => renderEvent(someEvent(type, payload, status), testCanvas()).map((line) => line.trim());
  expect(lines("completed")).toEqual([`${time}  ${glyph} ${what}`]);
  expect(lines("queued")).toEqual([`${time}  ${glyph} ${what}`, "queued"]);
  expect(lines("processing")).toEqual([`${time}  ${glyph} ${what}`, "running"]);
  expect(lines("canceled")).toEqual([`${time}  ✗ ${what}`, "canceled"]);
});

test.each([
  ["agent_message", { message: "on it" }],
  ["agent_plan_execution_update", { entries: [] }],
])("a %s that was canceled says so, and nothing of running", (type, payload) => {
  const last = (status: string) =>
    renderEvent(someEvent(type, payload, status), testCanvas())
      .at(-1)
      ?.trim();
  expect(last("canceled")).toBe("canceled");
  expect(last("processing")).not.toBe("running");
});

test("an id says nothing of whether it was done", () => {
  const lines = renderEvent(someEvent("agent_push_to_remote", { branch: "main", tool_call_id: "t", id: 3 }), testCanvas());
  expect(lines).toEqual([`${time}  ⎇ pushed main`]);
});

test("what can be merged is told where no target is named", () => {
  const lines = (payload: object) =>
    renderEvent(someEvent("agent_check_target_branch_mergeability", payload), testCanvas()).map((line) => line.trim());
  expect(lines({ mergeable: true })).toEqual([`${time}  ⎇ can be merged`]);
  expect(lines({ mergeable: false })).toEqual([`${time}  ! can't be merged`]);
});

describe("a command", () => {
  const run = (payload: object, status?: string) =>
    renderEvent(someEvent("agent_run_repository_command", { command: "x", ...payload }, status), testCanvas()).map((line) =>
      line.trim(),
    );

  test("that runs, that was killed, that says nothing of its end", () => {
    expect(run({}, "processing")).toEqual([`${time}  $ x`, "running"]);
    expect(run({}, "queued")).toEqual([`${time}  $ x`, "queued"]);
    expect(run({ exit_code: null, signal: "SIGKILL" })).toEqual([`${time}  $ x`, "✗ SIGKILL"]);
    expect(run({})).toEqual([`${time}  $ x`, "■ ended"]);
    expect(run({}, "canceled")).toEqual([`${time}  $ x`, "✗ canceled"]);
    expect(run({ exit_code: 0 }, "canceled")).toEqual([`${time}  $ x`, "✗ canceled"]);
  });

  test("shows the last lines of what it printed, of progress bars what stood last", () => {
    const output = [...Array.from({ length: 12 }, (_, at) => `line ${at}`), "10%\r50%\r100%\r"].join("\n");
    const lines = run({ output, exit_code: 0 });
    expect(lines.slice(1)).toEqual([
      "… 3 lines above",
      ...Array.from({ length: 9 }, (_, at) => `line ${at + 3}`),
      "100%",
      "✓ exit 0",
    ]);
  });

  test("leaves its colours out, and shows what else it does to a terminal", () => {
    const output = "\u001b[1;31mred\u001b[0m \u001b[38:5:1mx\u001b[K\u001b[m\n\u001b[2Jy\u001b[31";
    expect(run({ output, exit_code: 0 }).slice(1)).toEqual(["red x", "␛[2Jy␛[31", "✓ exit 0"]);
  });

  test("says how much of it the service left out, and counts only lines that are the command's", () => {
    expect(run({ output: "end", cut: 5, exit_code: 0 })[1]).toBe("… 5 bytes cut");
    const kept = Array.from({ length: 7 }, (_, at) => `line ${at}`);
    const output = [...kept, "[… 123456 bytes left out …]", ...kept].join("\n");
    expect(run({ output, cut: 123_456, exit_code: 0 }).slice(1, 3)).toEqual(["… 4 lines above, 123 kB cut", "line 4"]);
  });
});
