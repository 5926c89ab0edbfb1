import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { Session } from "../../wire/resources.ts";
import { optionNamed } from "../agent/ask/question.ts";
import { titleOf } from "./create.ts";
import { type Asked, type Books, isUserMessage, look, openQuestion, stateOf, type UserMessage, writeFields } from "./settle.ts";
import { transition } from "./state.ts";
import type { TimelineWriter } from "./timeline/writer.ts";

export interface Taken {
  readonly event: UserMessage;
  readonly session: Session;
  /** False for a message that was sent before, with the same `client_id`. */
  readonly fresh: boolean;
  /** The question that it answers. */
  readonly answers?: Asked;
}

/**
 * Stores a message: `processing` where the agent takes it at once, else `queued`. The first one names the session.
 * @throws Problem 409 where the session takes nothing more
 */
export async function takeMessage(
  { store, timeline }: Books,
  id: string,
  { message, client_id }: ParsedBodyOf<"sendMessage">,
): Promise<Taken> {
  const situation = await look(store, id);
  const change = transition(stateOf(situation), { type: "message" });
  return timeline.together(id, async (inner) => {
    const { event, fresh } = await inner.appendOnce(id, { type: "user_message", message }, change.message ?? "queued", client_id);
    if (!isUserMessage(event)) throw new Error(`the event ${event.id} is no message`);
    if (!fresh) return { event, session: situation.session, fresh };
    const asked = change.message === "completed" ? await openQuestion(inner.store, id) : undefined;
    if (asked !== undefined) await answer(inner, asked, message);
    const session = situation.session.title === "" ? await inner.change(id, { title: titleOf(message) }) : situation.session;
    return { event, session: await writeFields(inner, session, change), fresh, ...(asked !== undefined && { answers: asked }) };
  });
}

/** Told beside the message: what the answer is to, and which option it names. */
async function answer(timeline: TimelineWriter, { id, session_id, payload }: Asked, message: string): Promise<void> {
  const options = (payload.options ?? []).map(({ id: option, name }) => ({ id: option, name }));
  const option = optionNamed(options, message);
  await timeline.append(
    session_id,
    { type: "user_ask_user_response", reply_to: id, message, ...(option !== undefined && { option_id: option.id }) },
    "completed",
  );
  await timeline.update(session_id, id, { status: "completed" });
}
