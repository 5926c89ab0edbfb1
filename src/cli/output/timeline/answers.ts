import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { fieldsOf, optionName, wordOf } from "./fields.ts";

/** Makes an answer by an option's number one that says what the option is, by the question that came before it. */
export interface Answers {
  /** Takes each event in order, and gives what is to be shown of it. */
  spelledOut(event: TimelineEvent): TimelineEvent;
}

export function makeAnswers(): Answers {
  /** By question, what each option is called. */
  const names = new Map<string, ReadonlyMap<string, string>>();
  return {
    spelledOut(event) {
      if (event.type === "agent_ask_user") {
        const options = fieldsOf(event, event.type).list("options", "name");
        names.set(event.id, new Map(options.map((option) => [wordOf(option["id"]), wordOf(optionName(option))])));
      }
      if (event.type !== "user_ask_user_response") return event;
      const fields = fieldsOf(event, event.type);
      const message = names.get(fields.raw("reply_to"))?.get(fields.word("option_id"));
      return message === undefined || message === "" ? event : { ...event, payload: { type: event.type, message } };
    },
  };
}
