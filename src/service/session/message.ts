import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { Session } from "../../wire/resources.ts";
import { titleOf } from "./create.ts";
import { type Books, isUserMessage, look, stateOf, type UserMessage, writeFields } from "./settle.ts";
import { transition } from "./state.ts";

export interface Taken {
  readonly event: UserMessage;
  readonly session: Session;
  /** False for a message that was sent before, with the same `client_id`. */
  readonly fresh: boolean;
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
    const session = situation.session.title === "" ? await inner.change(id, { title: titleOf(message) }) : situation.session;
    return { event, session: await writeFields(inner, session, change), fresh };
  });
}
