import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { fields } from "../../../wire/fields.ts";
import { openSession } from "../../flows/session/select.ts";
import { timelineOf } from "../../flows/session/timeline.ts";
import { makeAnswers } from "../../output/timeline/answers.ts";
import { showList } from "../../output/show.ts";
import { when } from "../../output/when.ts";
import type { Verb } from "../../verb.ts";

const kinds: ReadonlySet<string> = new Set([
  "user_message",
  "agent_message",
  "system_message",
  "agent_ask_user",
  "user_ask_user_response",
]);

export const list: Verb = {
  name: "list",
  summary: "List what was said in a session",
  schema: fields.event,
  examples: ["ferry message list", "ferry message list - --json"],
  define: (command) => void command.argument("[session]", "which one"),
  async run(context, _, given?: string) {
    const open = await openSession(context, given);
    const items: TimelineEvent[] = [];
    for await (const events of timelineOf(context, open))
      for (const event of events) if (kinds.has(event.type ?? "")) items.push(event);
    const answers = makeAnswers();
    const shown = context.global.json ? items : items.flatMap((event) => answers.spelledOut(event) ?? []);
    const now = context.host.clock.now();
    const columns = [
      { header: "WHEN", value: (event: (typeof items)[number], terminal: boolean) => when(event.created_at, terminal, now) },
      { header: "WHO", spare: 1, value: ({ type }: (typeof items)[number]) => (type ?? "").replace(/_.*$/u, "") },
      { header: "STATUS", spare: 2, value: ({ status }: (typeof items)[number]) => status },
      { header: "TEXT", value: ({ payload }: (typeof items)[number]) => textOf(payload) },
    ];
    await showList(context, { items: shown, more: false }, columns, { known: fields.event, many: "messages" });
  },
};

function textOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const { message, question } = payload as { readonly message?: unknown; readonly question?: unknown };
  const text = message ?? question;
  return typeof text === "string" ? text : undefined;
}
