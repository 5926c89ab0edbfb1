import { textOf } from "../../../base/text.ts";
import type { Host } from "../../../host/host.ts";
import { repositoryNames } from "../../flows/session/repositories.ts";
import type { KnownSession, OpenSession } from "../../flows/session/select.ts";
import { dollars } from "../../output/dollars.ts";
import type { Lines } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

/** What a list of sessions shows of each. `repositories` has the names of those that are known, by their ids. */
export function sessionColumns({ clock }: Host, repositories: ReadonlyMap<string, string>): readonly Column<KnownSession>[] {
  const now = clock.now();
  return [
    { header: "ID", id: true, value: ({ id }) => id },
    {
      header: "REPOSITORY",
      spare: 2,
      value: ({ repository_id }) => repositories.get(textOf(repository_id)) ?? repository_id,
    },
    { header: "STATUS", value: ({ status }) => status },
    { header: "AGENT", spare: 1, value: ({ agent_status }) => agent_status },
    { header: "BRANCH", spare: 4, value: ({ branch_name }) => branch_name },
    { header: "TITLE", value: ({ title }) => title },
    { header: "UPDATED", spare: 3, value: ({ updated_at }, terminal) => when(updated_at, terminal, now) },
  ];
}

/** And all that is worth a line of one, its repository by name. */
export async function sessionLines({ clock, terminal }: Host, { connection, session }: OpenSession): Promise<Lines> {
  const names = await repositoryNames(connection, [session]);
  const time = (text: string | null | undefined): string | undefined => when(text, terminal.stdout.isTTY, clock.now());
  return [
    ["id", session.id],
    ["title", session.title],
    ["status", session.status],
    ["agent", session.agent_status],
    ["model", session.model],
    ["branch", session.branch_name],
    ["base", [textOf(session.base_branch), textOf(session.base_commit).slice(0, 12)].filter(Boolean).join(" at ")],
    ["head", textOf(session.head_commit).slice(0, 12)],
    [
      "auto-commit",
      session.auto_commit === undefined || session.auto_commit === null ? undefined : session.auto_commit ? "on" : "off",
    ],
    ["repository", names.get(textOf(session.repository_id)) ?? session.repository_id],
    ["origin", session.origin],
    ["usage", describeUsage(session)],
    ["created", time(session.created_at)],
    ["updated", time(session.updated_at)],
  ];
}

/** `12 model calls, 34,567 tokens in, 890 out, $0.12`: as much of it as the service says. */
export function describeUsage({ usage }: Pick<KnownSession, "usage">): string | undefined {
  const count = (number: unknown, words: string): string[] =>
    typeof number === "number" ? [`${number.toLocaleString("en")} ${words}`] : [];
  const calls = count(usage?.model_calls, usage?.model_calls === 1 ? "model call" : "model calls");
  const parts = [...calls, ...count(usage?.input_tokens, "tokens in"), ...count(usage?.output_tokens, "out")];
  const paid = typeof usage?.cost_usd === "number" ? [dollars(usage.cost_usd)] : [];
  return [...parts, ...paid].join(", ") || undefined;
}
