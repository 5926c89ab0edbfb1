import { shortId } from "../../../base/ids.ts";
import type { Host } from "../../../host/host.ts";
import type { KnownRepository } from "../../flows/place/repository.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export const repositoryColumns: readonly Column<KnownRepository>[] = [
  { header: "ID", value: ({ id }, terminal) => (terminal ? shortId(id) : id) },
  { header: "NAME", value: ({ full_name }) => full_name },
  { header: "PLATFORM", value: ({ platform }) => platform },
  { header: "BRANCH", value: ({ default_branch }) => default_branch },
  { header: "ENABLED", value: (repository) => enabled(repository) },
  { header: "CLONE URL", value: ({ clone_url }) => clone_url },
];

export function repositoryLines(repository: KnownRepository, { clock, terminal }: Host): [string, string | null | undefined][] {
  const time = (text: string | null | undefined): string | undefined => when(text, terminal.stdout.isTTY, clock.now());
  return [
    ["id", repository.id],
    ["name", repository.full_name],
    ["clone URL", repository.clone_url],
    ["default branch", repository.default_branch],
    ["platform", repository.platform],
    ["provider", repository.code_provider_id],
    ["external id", repository.external_id],
    ["enabled", enabled(repository)],
    ["analysis", repository.analysis_status],
    ["analysis error", repository.analysis_error],
    ["created", time(repository.created_at)],
    ["updated", time(repository.updated_at)],
  ];
}

function enabled(repository: KnownRepository): string | undefined {
  if (typeof repository.enabled !== "boolean") return undefined;
  return repository.enabled ? "yes" : "no";
}
