import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { fieldsOf, optionName, wordOf } from "./fields.ts";

/**
 * Makes an answer by an option's number one that says what the option is, by the question that came before it. A service may have it
 * twice, as the message that it came in and as the answer: where both say the same, the message is enough.
 */
export interface Answers {
  /** Takes each event in order, and gives what is to be shown of it; undefined where that stands right above. */
  spelledOut(event: TimelineEvent): TimelineEvent | undefined;
}

export function makeAnswers(): Answers {
  /** By question, what each option is called. */
  const names = new Map<string, ReadonlyMap<string, string>>();
  const repeated = new Set<string>();
  let above: string | undefined;
  const spelled = (event: TimelineEvent): TimelineEvent => {
    if (event.type === "agent_ask_user") {
      const options = fieldsOf(event, event.type).list("options", "name");
      names.set(event.id, new Map(options.map((option) => [wordOf(option["id"]), wordOf(optionName(option))])));
    }
    if (event.type !== "user_ask_user_response") return event;
    const fields = fieldsOf(event, event.type);
    const message = names.get(fields.raw("reply_to"))?.get(fields.word("option_id"));
    return message === undefined || message === "" ? event : { ...event, payload: { type: event.type, message } };
  };
  return {
    spelledOut(given) {
      const event = spelled(given);
      const before = above;
      above = event.type === "user_message" ? fieldsOf(event, event.type).raw("message").trim() : undefined;
      if (event.type !== "user_ask_user_response") return event;
      // A change of it, too.
      if (before && before === fieldsOf(event, event.type).raw("message").trim()) repeated.add(event.id);
      return repeated.has(event.id) ? undefined : event;
    },
  };
}
