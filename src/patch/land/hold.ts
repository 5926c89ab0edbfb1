import { lockIn } from "../../git/locked.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import type { Plan } from "../recovery/journal.ts";
import { runNoted } from "./locks.ts";
import { RefsLocked } from "./transaction.ts";
import type { WorkingCopy } from "./working-copy.ts";

type Planned = Pick<Plan, "new" | "overlay" | "updates">;
type Place = Pick<WorkingCopy, "git" | "repository" | "children">;

/**
 * Refs, by name and object, for what no other ref reaches until a landing is over: git-gc(1) would take it away meanwhile, and after a
 * kill nobody could end the landing or take it back.
 */
export function holdsOf({ new: tip, overlay, updates }: Planned): ReadonlyMap<string, string> {
  const ids = [tip, overlay?.old, overlay?.new, overlay?.index?.old, overlay?.index?.new, ...updates.map(({ to }) => to)];
  const objects = new Set(ids.filter((id) => id !== undefined && !/^0+$/u.test(id)));
  return new Map([...objects].map((id, at) => [`refs/ferry/landing/${at}`, id ?? ""]));
}

/**
 * Makes these refs. The journal has begun, and tells of them.
 * @throws RefsLocked
 */
export async function hold(plan: Planned, place: Place): Promise<void> {
  const args = ["update-ref", "--stdin"];
  const lines = [...holdsOf(plan)].map(([ref, id]) => `update ${ref} ${id}\n`);
  const result = await runNoted(place, args, Buffer.from(lines.join("")));
  if (result.code === 0) return;
  const lock = lockIn(result);
  if (lock !== undefined) throw new RefsLocked("attention", `${lock} exists`);
  throw systemTrouble(args, result) ?? gitError(args, result);
}

/** Takes them away. Where another git has refs locked they stay till the next landing, which does no harm. */
export async function letGo(plan: Planned, place: Place): Promise<void> {
  const lines = [...holdsOf(plan).keys()].map((ref) => `delete ${ref}\n`);
  await runNoted(place, ["update-ref", "--stdin"], Buffer.from(lines.join("")));
}
