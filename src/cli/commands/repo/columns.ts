import { textOf } from "../../../base/text.ts";
import type { Host } from "../../../host/host.ts";
import type { KnownRepository } from "../../flows/place/repository.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export const repositoryColumns: readonly Column<KnownRepository>[] = [
  { header: "ID", id: "whole", value: ({ id }) => id },
  { header: "NAME", value: ({ full_name }) => full_name },
  { header: "PLATFORM", value: ({ platform }) => platform },
  { header: "BRANCH", value: ({ default_branch }) => default_branch },
  { header: "ENABLED", value: (repository) => enabled(repository) },
  { header: "CLONE URL", value: ({ clone_url }) => clone_url },
];

type Line = [string, string | null | undefined];

/** What is worth a line of one, but for its analysis. */
export function repositoryLines(repository: KnownRepository, { clock, terminal }: Host): Line[] {
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
    ["created", time(repository.created_at)],
    ["updated", time(repository.updated_at)],
  ];
}

/**
 * How its analysis went: for who asks, since a service that analyzes nothing says so of each as a failure. Where there never was
 * one, nothing is broken that worked before: why there is none is all that is to be told.
 */
export function analysisLines({ analysis_status, analysis_error, last_analyzed_at }: KnownRepository): Line[] {
  if (analysis_status === "failed" && analysis_error && !last_analyzed_at)
    return [["analysis", `none: ${textOf(analysis_error)}`]];
  return [["analysis", analysis_status], ...(analysis_error ? [["analysis error", analysis_error] satisfies Line] : [])];
}

function enabled(repository: KnownRepository): string | undefined {
  if (typeof repository.enabled !== "boolean") return undefined;
  return repository.enabled ? "yes" : "no";
}
