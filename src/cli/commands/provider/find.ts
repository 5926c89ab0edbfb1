import { shortId } from "../../../base/ids.ts";
import { listAll } from "../../../client/pages.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Host } from "../../../host/host.ts";
import type { Provider } from "../../../wire/resources.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { theOneNamed } from "../../flows/named.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export type KnownProvider = Tolerant<Provider>;

/** The one of that id or name. The interface has no call to read one, so it is looked for in the list. */
export async function findProvider({ client, name }: Connection, given: string): Promise<KnownProvider> {
  const all = await listAll(client.listProviders);
  const called = all.filter((provider) => provider.name === given);
  const about = (provider: KnownProvider) => [provider.name, provider.base_url];
  return theOneNamed(given, { all, called, about }, { one: "provider", several: "providers", noun: "provider" }, name);
}

export const providerColumns: readonly Column<KnownProvider>[] = [
  { header: "ID", value: ({ id }, terminal) => (terminal ? shortId(id) : id) },
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
