import type { Git } from "../../git/git.ts";
import type { Host } from "../../host/host.ts";
import type { AgentPlace } from "../agent/agent.ts";
import type { Agents } from "../agent/agents.ts";
import type { Gateways } from "../agent/gateway/gateways.ts";
import type { SandboxDriver, SandboxLimits } from "../sandbox/driver.ts";
import type { Sealer } from "../keys/seal.ts";
import type { Store } from "../store/store.ts";

/** What the session engine is made of. */
export interface SessionsDeps {
  readonly store: Store;
  /** Opens the tokens of code providers. */
  readonly sealer: Pick<Sealer, "open">;
  readonly driver: SandboxDriver;
  readonly git: Git;
  readonly host: Pick<Host, "clock" | "random" | "files" | "version">;
  /** The service's data folder: mirrors, sessions and sandboxes lie in it. */
  readonly data: string;
  /**
   * Who holds the leases. The same at each start where one process at a time serves the store, so that a restart doesn't wait
   * for a lease of its own dead predecessor.
   */
  readonly owner: string;
  readonly place: AgentPlace;
  readonly agents: Agents;
  readonly gateways: Gateways;
  /** The `model` of a session that names none. */
  readonly model: string;
  readonly limits: SessionLimits;
  /** One line for the service's log. */
  readonly log: (message: string) => void;
}

export interface SessionLimits {
  readonly sandbox: SandboxLimits;
  /** How long a sandbox is kept without a turn, in ms; it is made again from the session's repository when it is needed. */
  readonly idle: number;
  /** How long an agent may take until it is ready, in ms. */
  readonly startup: number;
  /**
   * How long it may take to save the work of a turn that was stopped, in ms: git in the sandbox reads what the agent left there, and runs
   * what it set up (filters), and may wait for it for ever.
   */
  readonly saving: number;
  /** Bytes that one turn may bring out of its sandbox. */
  readonly bundle: number;
  /** Bytes that are to be free where the data folder lies: with less, the service could hardly go on, and what fills it isn't kept. */
  readonly spare: number;
}

export const defaultLimits: SessionLimits = {
  sandbox: { memoryMB: 4096, processes: 512, cpus: 2, diskMB: 8192, wall: 24 * 3_600_000 },
  idle: 30 * 60_000,
  startup: 120_000,
  saving: 10_000,
  bundle: 256 * 1024 * 1024,
  spare: 64 * 1024 * 1024,
};

/** The time as the wire writes it: ISO 8601 with milliseconds, UTC. */
export function timestamp({ host }: Pick<SessionsDeps, "host">): string {
  return new Date(host.clock.now()).toISOString();
}
