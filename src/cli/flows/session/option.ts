import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { fieldsOf, optionName, wordOf } from "../../output/timeline/fields.ts";
import type { KnownEvent } from "./arrival.ts";
import type { OpenSession } from "./select.ts";
import { timelineOf } from "./timeline.ts";

/**
 * What a service is told where the user gives an option's number: the number, where it knows our numbers; elsewhere what the option
 * of the open question is called. Without such a question, or with one that has no options, the text as it is.
 * @throws FerryError usage for a number that none of the options has: to a permission it would be a no that nobody meant
 */
export async function optionText(context: Context, open: OpenSession, text: string): Promise<string> {
  const number = /^\s*(\d{1,3})\s*$/u.exec(text)?.[1];
  const question = number === undefined ? undefined : await openQuestion(context, open);
  if (number === undefined || question === undefined) return text;
  const options = fieldsOf(question, "agent_ask_user").list("options", "name");
  const option = options[Number(number) - 1];
  if (option === undefined) {
    const isCalledSo = options.some((other) => [wordOf(other["id"]), optionName(other)].includes(number));
    if (options.length === 0 || isCalledSo) return text;
    throw new FerryError("usage", `the question has no option ${number}`, { hint: remedy(options.length) });
  }
  if ((await open.connection.client.capabilities()).has("answer")) return text;
  const name = optionName(option);
  await context.print.note(`option ${number}: ${name}`);
  return name;
}

function remedy(count: number): string {
  return `it has ${count === 1 ? "option 1 alone" : `options 1 to ${count}`}; an answer in words is more than a number`;
}

/** The last that was said, if it is a question. */
async function openQuestion(context: Context, open: OpenSession): Promise<KnownEvent | undefined> {
  let question: KnownEvent | undefined;
  for await (const events of timelineOf(context, open)) {
    const said = events.findLast(({ type }) => type === "agent_ask_user" || talk.has(type ?? ""));
    if (said !== undefined) question = said.type === "agent_ask_user" && said.status !== "canceled" ? said : undefined;
  }
  return question;
}

const talk: ReadonlySet<string> = new Set(["user_message", "user_ask_user_response"]);
