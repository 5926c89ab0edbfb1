import type { Host } from "../../../host/host.ts";
import type { KnownProvider } from "../../flows/provider.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export const providerColumns: readonly Column<KnownProvider>[] = [
  { header: "ID", id: "whole", value: ({ id }) => id },
  { header: "NAME", value: ({ name }) => name },
  { header: "PLATFORM", value: ({ platform }) => platform },
  { header: "ADDRESS", value: ({ base_url }) => base_url },
];

export function providerLines(provider: KnownProvider, { clock, terminal }: Host): [string, string | null | undefined][] {
  const time = (text: string | null | undefined): string | undefined => when(text, terminal.stdout.isTTY, clock.now());
  return [
    ["id", provider.id],
    ["name", provider.name],
    ["platform", provider.platform],
    ["address", provider.base_url],
    ["credential", provider.metadata?.type],
    ["created", time(provider.created_at)],
    ["updated", time(provider.updated_at)],
  ];
}
