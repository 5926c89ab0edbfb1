import { expect, test } from "vitest";
import { makeAnswers } from "../../../../src/cli/output/timeline/answers.ts";

const event = (id: string, type: string, payload: Record<string, unknown>) => ({ id, type, payload: { type, ...payload } });
const asked = event("q", "agent_ask_user", { question: "Now?", options: [{ id: "o1", name: "yes" }] });
const message = (text: string) => event("m", "user_message", { message: text });
const answered = (text: string, more = {}) => event("a", "user_ask_user_response", { reply_to: "q", message: text, ...more });

function shown(...events: readonly ReturnType<typeof event>[]): unknown[] {
  const answers = makeAnswers();
  return events.flatMap((each) => answers.spelledOut(each)?.payload ?? []);
}

test("an answer that stands right above it as a message is shown once, its changes as well", () => {
  const events = [asked, message("no, later"), answered("no, later"), answered("no, later")];
  expect(shown(...events)).toEqual([asked.payload, message("no, later").payload]);
  expect(shown(asked, message("yes"), answered("yes", { option_id: "o1" }))).toHaveLength(2);
});

test("a number, which says what the option is, another text, and one without a message above stay", () => {
  expect(shown(asked, message("1"), answered("1", { option_id: "o1" })).at(-1)).toEqual({
    type: "user_ask_user_response",
    message: "yes",
  });
  expect(shown(asked, message("no"), answered("never"))).toHaveLength(3);
  expect(shown(asked, answered("no"))).toHaveLength(2);
  expect(shown(message("no"), asked, answered("no"))).toHaveLength(3);
});
