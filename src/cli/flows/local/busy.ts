import { local } from "../../../auth/address.ts";
import { makeClient } from "../../../client/client.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import { forgetfulMemory } from "../../../client/memory.ts";
import { listAll } from "../../../client/pages.ts";
import type { SessionState } from "../../../client/timeline/items.ts";
import type { Host } from "../../../host/host.ts";

interface Service {
  readonly socket: string;
  readonly key: ApiKey;
}

const inTurn: ReadonlySet<string> = new Set(["working", "waiting_for_user"]);

/** Whether an agent works, will soon, or waits for an answer in a session of the embedded service: then it isn't replaced. */
export async function isBusy(host: Host, service: Service): Promise<boolean> {
  const sessions = await activeSessions(host, service);
  return sessions.some((session) => isInTurn(session) || session.agent_status === "queued");
}

/** The sessions of the embedded service whose turn would be cut short if it ended now. */
export async function sessionsInTurn(host: Host, service: Service): Promise<SessionState[]> {
  return (await activeSessions(host, service)).filter(isInTurn);
}

async function activeSessions(host: Host, { socket, key }: Service): Promise<SessionState[]> {
  const client = makeClient({
    send: host.network.overSocket(socket),
    baseUrl: "http://localhost",
    name: local,
    key,
    clock: host.clock,
    random: host.random,
    memory: forgetfulMemory(),
    userAgent: `ferry/${host.version}`,
    signal: host.interrupt,
  });
  return listAll(client.listSessions, { filters: { status: "active" } });
}

function isInTurn({ agent_status }: SessionState): boolean {
  return inTurn.has(agent_status ?? "");
}
