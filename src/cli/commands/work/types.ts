import { eventTypes } from "../../../wire/values.ts";
import { checkKnown } from "../../near.ts";

/**
 * A service may have types of its own: what isn't ours is looked for in the timeline, which is read for that alone.
 * @throws FerryError usage for one that is in neither
 */
export async function checkTypes(types: readonly string[] = [], typesThere: () => Promise<Iterable<string>>): Promise<void> {
  const ours: readonly string[] = eventTypes;
  if (types.every((type) => ours.includes(type))) return;
  checkKnown({ one: "event type", many: "event types" }, types, [...ours, ...(await typesThere())]);
}
