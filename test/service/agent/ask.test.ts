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
  const form = (message: string, properties: object, required: string[] = []): CreateElicitationRequest => ({
    mode: "form",
    sessionId: "s",
    message,
    requestedSchema: { type: "object", properties, required },
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

  test("with several fields asks one after another, each in the form's words and its own", async () => {
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
    expect(asked.map(({ question }) => question)).toEqual(
      ["Which ones?", "How many?", "Sure?", "Name"].map((own) => `Some things\n${own}`),
    );
  });

  test("with a title and a description shows both beside the message, and where there is neither its name", async () => {
    const { ask, asked } = user("x", "y");
    await fillIn(form("Deploy", { place: { type: "string", title: "Place", description: "Where to?" }, tag: {} }), ask);
    expect(asked.map(({ question }) => question)).toEqual(["Deploy\nPlace: Where to?", "Deploy\ntag"]);
  });

  test("leaves a title out that the message has already, word for word", async () => {
    for (const [message, title, question] of [
      ["Which colour?", "Colour", "Which colour?"],
      ["Where shall it go? (the place)", "THE PLACE", "Where shall it go? (the place)"],
      ["Import settings", "Port", "Import settings\nPort"],
    ] as const) {
      const { ask, asked } = user("x");
      await fillIn(form(message, { field: { type: "string", title } }), ask);
      expect(asked[0]?.question).toBe(question);
    }
  });

  test.each<[object, [string, string], [string, unknown]]>([
    [{ type: "integer" }, ["many", '"many" is no whole number'], ["12", 12]],
    [{ type: "integer" }, ["1.5", '"1.5" is no whole number'], ["-3", -3]],
    [{ type: "number", minimum: 1, maximum: 2 }, ["3", "3 isn't 1 to 2"], ["1.5", 1.5]],
    [{ type: "number" }, ["", '"" is no number'], ["0", 0]],
    [{ type: "string", enum: ["red", "blue"] }, ["green", '"green" is none of the options'], ["2", "blue"]],
    [{ type: "array", items: { enum: ["a", "b"] } }, ["a, c", '"c" is none of the options'], ["a,2", ["a", "b"]]],
    [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, ["a,b", "that is 2, of 1 at most"], ["b", ["b"]]],
    [{ type: "boolean" }, ["perhaps", '"perhaps" is neither yes nor no'], ["no, not now", false]],
    [{ type: "string", minLength: 3 }, ["ab", "that has 2 characters, of 3 or more"], ["abc", "abc"]],
  ])("whose field is %j doesn't take %j: it says why, and asks again", async (field, [wrong, why], [right, value]) => {
    const { ask, asked } = user(wrong, right);
    expect(await fillIn(form("?", { field }, ["field"]), ask)).toEqual({ action: "accept", content: { field: value } });
    expect(asked.map(({ question }) => question)).toEqual(["?", `${why}\n?`]);
  });

  test("that stays without a required field is declined, one without another is accepted; both are said before", async () => {
    const fields = { count: { type: "integer" }, name: { type: "string" } };
    const declined = user("a", "b", "c", "Ada");
    expect(await fillIn(form("?", fields, ["count", "name"]), declined.ask)).toEqual({ action: "decline" });
    expect(declined.asked.at(-1)?.question).toBe('"b" is no whole number (once more, and the form is declined)\n?\ncount');
    const accepted = user("a", "b", "c", "Ada");
    expect(await fillIn(form("?", fields, ["name"]), accepted.ask)).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(accepted.asked[2]?.question).toContain("(once more, and this is left empty)");
  });

  test("asks for what is required and described nowhere, and takes words of one's own for no required choice", async () => {
    expect(await fillIn(form("?", {}, ["name"]), user("Ada").ask)).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(await fillIn(form("?", colour, ["question_0"]), user("green", "red").ask)).toEqual({
      action: "accept",
      content: { question_0: "Red" },
    });
  });

  test("of a turn that is stopped is canceled", async () => {
    const fields = { count: { type: "integer" }, pick: { type: "string", enum: ["x"] } };
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
      expect((await fillIn(request, user("1", "1", "1", "1").ask)).action).toMatch(/accept|decline/u);
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
