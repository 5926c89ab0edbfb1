import type { Context } from "../../context.ts";
import { fieldsOf, readFields } from "../../output/timeline/fields.ts";
import type { KnownEvent } from "./arrival.ts";
import type { OpenSession } from "./select.ts";
import { timelineOf } from "./timeline.ts";

/**
 * What a service is told where the user gives an option's number: the number, where it knows our numbers; elsewhere what the option
 * of the open question is called. Without such a question or option, the text as it is.
 */
export async function optionText(context: Context, open: OpenSession, text: string): Promise<string> {
  const number = /^\s*(\d{1,3})\s*$/u.exec(text)?.[1];
  if (number === undefined || (await open.connection.client.capabilities()).has("answer")) return text;
  const question = await openQuestion(context, open);
  if (question === undefined) return text;
  const option = fieldsOf(question, "agent_ask_user").list("options", "name").map(readFields)[Number(number) - 1];
  const name = option?.raw("name").trim() ?? "";
  if (name === "") return text;
  await context.print.note(`option ${number}: ${name}`);
  return name;
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
