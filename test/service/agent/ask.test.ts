import type { CreateElicitationRequest, PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { fillIn } from "../../../src/service/agent/ask/form.ts";
import { permit } from "../../../src/service/agent/ask/permission.ts";
import { optionNamed, type Question } from "../../../src/service/agent/ask/question.ts";

/** A user who says these things, one after another, and then nothing any more. */
function user(...replies: (string | undefined)[]) {
  const asked: Question[] = [];
  const ask = (question: Question) => {
    asked.push(question);
    return Promise.resolve(replies.shift());
  };
  return { asked, ask };
}

describe("permission", () => {
  const kinds = ["reject_once", "allow_always", "allow_once"] as const;
  const options: PermissionOption[] = kinds.map((kind, at) => ({ optionId: `o${at}`, kind, name: kind.replace("_", " ") }));
  const request: RequestPermissionRequest = { sessionId: "s", toolCall: { toolCallId: "t", title: "rm -rf build" }, options };

  test("is given once by the policy `allow`, and nobody is asked", async () => {
    const { ask, asked } = user();
    expect(await permit(request, "allow", ask)).toEqual({ outcome: "selected", optionId: "o2" });
    expect(asked).toEqual([]);
  });

  test.each([
    ["3", "o2"],
    ["o1", "o1"],
    ["Allow Always", "o1"],
    ["yes", "o2"],
    ["1", "o0"],
    ["no, do something else", "o0"],
    ["9", "o0"],
    ["", "o0"],
  ])("by the policy `ask`, the reply %j chooses %s", async (reply, optionId) => {
    const { ask, asked } = user(reply);
    expect(await permit(request, "ask", ask)).toEqual({ outcome: "selected", optionId });
    expect(asked[0]?.question).toBe("May the agent do this? rm -rf build");
    expect(asked[0]?.options.map(({ name }) => name)).toEqual(["reject once", "allow always", "allow once"]);
  });

  test.each([
    [{ title: "/repo/hello.txt", kind: "edit" }, "edit /repo/hello.txt"],
    [{ title: "/repo/hello.txt" }, "/repo/hello.txt"],
    [{ title: "/repo/run --all", kind: "execute" }, "/repo/run --all"],
    [{}, ""],
  ] as const)("of a call that says %j asks about %j", async (call, deed) => {
    const { ask, asked } = user(undefined);
    await permit({ ...request, toolCall: { toolCallId: "t", ...call } }, "ask", ask);
    expect(asked[0]?.question).toBe(`May the agent do this? ${deed}`.trimEnd());
  });

  test("a turn that is stopped answers as canceled", async () => {
    expect(await permit(request, "ask", user(undefined).ask)).toEqual({ outcome: "cancelled" });
  });
});

describe("a form", () => {
  const form = (message: string, properties: object): CreateElicitationRequest => ({
    mode: "form",
    sessionId: "s",
    message,
    requestedSchema: { type: "object", properties },
  });
  const colour = {
    question_0: {
      type: "string",
      title: "Colour",
      oneOf: [
        { const: "Red", title: "Red — warm" },
        { const: "Blue", title: "Blue — cold" },
      ],
    },
    question_0_custom: { type: "string", title: "Other" },
  };

  test("of Claude's: a choice is by number or name, what is neither is one's own words", async () => {
    const first = user("2");
    expect(await fillIn(form("Which colour?", colour), first.ask)).toEqual({ action: "accept", content: { question_0: "Blue" } });
    expect(first.asked).toEqual([
      {
        question: "Which colour?",
        options: [
          { id: "Red", name: "Red", description: "warm" },
          { id: "Blue", name: "Blue", description: "cold" },
        ],
      },
    ]);
    expect(await fillIn(form("", colour), user("red").ask)).toEqual({ action: "accept", content: { question_0: "Red" } });
    expect(await fillIn(form("", colour), user("green, please").ask)).toEqual({
      action: "accept",
      content: { question_0_custom: "green, please" },
    });
  });

  test("with several fields asks one after another, each in its own words", async () => {
    const fields = {
      several: { type: "array", description: "Which ones?", items: { enum: ["a", "b", "c"] } },
      count: { type: "integer", description: "How many?" },
      sure: { type: "boolean", description: "Sure?" },
      name: { type: "string", title: "Name" },
    };
    const { ask, asked } = user("a, 3", "12", "yes", "Ada");
    expect(await fillIn(form("Some things", fields), ask)).toEqual({
      action: "accept",
      content: { several: ["a", "c"], count: 12, sure: true, name: "Ada" },
    });
    expect(asked.map(({ question }) => question)).toEqual(["Which ones?", "How many?", "Sure?", "Name"]);
  });

  test("a reply that a field can't hold leaves it empty, and a stopped turn cancels the whole", async () => {
    const fields = { count: { type: "integer" }, pick: { type: "string", enum: ["x"] } };
    expect(await fillIn(form("?", fields), user("many", "y").ask)).toEqual({ action: "accept", content: {} });
    expect(await fillIn(form("?", fields), user("1", undefined).ask)).toEqual({ action: "cancel" });
  });

  test("without fields is a yes or a no; an address is declined", async () => {
    expect(await fillIn(form("Go on?", {}), user("y").ask)).toEqual({ action: "accept", content: {} });
    expect(await fillIn(form("Go on?", {}), user("2").ask)).toEqual({ action: "decline" });
    const url: CreateElicitationRequest = {
      mode: "url",
      sessionId: "s",
      message: "m",
      url: "https://example.com",
      elicitationId: "e",
    };
    expect(await fillIn(url, user("y").ask)).toEqual({ action: "decline" });
  });

  test("of a hostile agent does no harm", async () => {
    for (const schema of [
      null,
      5,
      { properties: null },
      { properties: { a: null, b: { oneOf: [null, 5] }, __proto__: { type: "array" } } },
    ]) {
      const request = {
        mode: "form",
        sessionId: "s",
        message: "m",
        requestedSchema: schema,
      } as unknown as CreateElicitationRequest;
      expect((await fillIn(request, user("1", "1", "1").ask)).action).toMatch(/accept|decline/u);
    }
  });
});

test("an option's name wins over no other option's number", () => {
  const options = [
    { id: "two", name: "2" },
    { id: "one", name: "1" },
  ];
  expect(optionNamed(options, "1")?.id).toBe("two");
  expect(optionNamed(options, "ONE")?.id).toBe("one");
  expect(optionNamed(options, "three")).toBeUndefined();
});
