import { makeClient } from "../../../client/client.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import { forgetfulMemory } from "../../../client/memory.ts";
import type { Host } from "../../../host/host.ts";

const working: ReadonlySet<string> = new Set(["queued", "working", "waiting_for_user"]);

/** Whether an agent works, or waits for an answer, in a session of the embedded service: then it isn't replaced. */
export async function isBusy(host: Host, service: { readonly socket: string; readonly key: ApiKey }): Promise<boolean> {
  const client = makeClient({
    send: host.network.overSocket(service.socket),
    baseUrl: "http://localhost",
    key: service.key,
    clock: host.clock,
    random: host.random,
    memory: forgetfulMemory(),
    userAgent: `ferry/${host.version}`,
    signal: host.interrupt,
  });
  const { items } = await client.listSessions({ query: { status: "active", limit: 200 } });
  return items.some(({ agent_status }) => working.has(agent_status ?? ""));
}
