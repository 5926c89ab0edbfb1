import { join } from "node:path";
import { FerryError } from "../base/errors.ts";
import { findFolders } from "../base/folders.ts";
import { makeGit } from "../git/runner.ts";
import type { Host } from "../host/host.ts";
import { secretsOf } from "./agent/key-file.ts";
import { readSignIn } from "./agent/sign-in/store.ts";
import { agentsWith, makeAgents } from "./agent/agents.ts";
import { makeGateways, socketName } from "./agent/gateway/gateways.ts";
import { reachBy } from "./agent/gateway/tunnels.ts";
import type { ConfiguredAgent } from "./agent/installed/configured.ts";
import type { PermissionPolicy } from "./agent/ask/permission.ts";
import type { AgentPlace } from "./agent/agent.ts";
import { planReach, type ReachRequest } from "./reach/reach.ts";
import { placeSockets } from "./running/socket.ts";
import { type RunningService, runService, type ServiceHost } from "./running/run-service.ts";
import type { SandboxDriverName } from "./sandbox/driver.ts";
import { nodeMount } from "./sandbox/node-mount.ts";
import { chooseDriver, type Chosen, faultsOf, makeDrivers, sandboxNamed } from "./sandbox/registry.ts";
import { defaultLimits } from "./session/deps.ts";
import { makeSessions } from "./session/engine.ts";

export interface ServeOptions {
  /** The data folder, an absolute path; else `FERRY_DATA_DIR` or the platform's own. */
  readonly data?: string | undefined;
  readonly sandbox?: "auto" | SandboxDriverName | undefined;
  /** The agent of a session that names none; else the built-in `shell`. */
  readonly agent?: string | undefined;
  /** What the user says of agents, now. */
  readonly configured?: (() => Promise<readonly ConfiguredAgent[]>) | undefined;
  /** Whether agents ask the user what they may do in their sandbox, now; else `FERRY_AGENT_PERMISSIONS`. */
  readonly permissions?: (() => Promise<PermissionPolicy>) | undefined;
  /** Whether to refuse to run where a limit of the sandbox can't be enforced, or it is weak otherwise. */
  readonly strict?: boolean | undefined;
  /** Where to listen beside the socket, and what TLS is spoken with. */
  readonly tcp?: ReachRequest | undefined;
  /** After how many ms with nothing to do it stops by itself; never where there is none. */
  readonly idle?: number | undefined;
  /** Takes the lines of the log, each a JSON object. */
  readonly write: (line: string) => void;
}

export type ServeHost = ServiceHost & Pick<Host, "home" | "self" | "dist" | "network">;

/** One process at a time serves a data folder: a restart goes on with the leases of its dead predecessor. */
const owner = "service";

/**
 * Runs the embedded service until it is stopped; resolves when it can be called.
 * @throws FerryError where the folder is another service's, no sandbox can be had, or an option names nothing there is
 */
export async function serve(options: ServeOptions, host: ServeHost): Promise<RunningService> {
  const tcp = options.tcp && (await planReach(options.tcp, host));
  const data = options.data ?? findFolders(host).data;
  const model = options.agent ?? "shell";
  const configured = options.configured ?? (() => Promise.resolve([]));
  const known = agentsWith(await configured()).map(({ name }) => name);
  if (!known.includes(model.split(":", 1)[0] ?? ""))
    throw new FerryError("usage", `there is no agent "${model}"`, { hint: `one of: ${known.join(", ")}` });
  const atStart = permissionsOf(host);
  const { driver, probe } = await chooseSandbox(options, host);
  const place: AgentPlace = {
    dist: host.dist,
    ...(probe.image === undefined
      ? { node: await nodeMount(host.self[0] ?? "node") }
      : { node: { mounts: [], path: "node" }, ownPrograms: true }),
    find: (program) => host.processes.find(program),
    permissions: options.permissions ?? (() => Promise.resolve(atStart)),
    secret: secretsOf(host.env, host.files, data),
    signIn: (agent) => readSignIn(host.files, data, agent),
  };
  const agents = makeAgents(place, configured);
  const gateways = makeGateways(
    join(await placeSockets(data, gatewaySocket, host), "gateways"),
    host.network.send,
    reachBy(host.network),
  );
  return runService(
    {
      ...options,
      tcp,
      data,
      sandbox: driver.name,
      makeSessions(store, sealer, log) {
        const { reason: why, unenforced, weak } = probe;
        log.info("sandbox", { driver: driver.name, why, unenforced: unenforced.join(" "), weak: weak.join("; ") });
        const tell = (message: string): void => log.info(message);
        return makeSessions({
          store,
          sealer,
          driver,
          git: makeGit(host),
          host,
          data,
          owner,
          place,
          agents,
          gateways,
          model,
          limits: defaultLimits,
          log: tell,
        });
      },
    },
    host,
  );
}

async function chooseSandbox({ sandbox, strict }: ServeOptions, host: ServeHost): Promise<Chosen> {
  const chosen = await chooseDriver(sandbox ?? sandboxNamed(host), makeDrivers(host));
  const { driver, probe } = chosen;
  const faults = faultsOf(probe);
  if (strict === true && faults.length > 0)
    throw new FerryError("failure", `the sandbox ${driver.name} isn't all that it should be here`, {
      details: faults,
      hint: "serve without --strict to do without it",
    });
  return chosen;
}

/** What the environment says of it. @throws FerryError usage for what it can't be */
function permissionsOf({ env }: ServeHost): PermissionPolicy {
  const named = env["FERRY_AGENT_PERMISSIONS"] ?? "";
  if (named === "" || named === "allow" || named === "ask") return named === "ask" ? "ask" : "allow";
  throw new FerryError("usage", `FERRY_AGENT_PERMISSIONS can't be "${named}"`, { hint: "it is allow or ask" });
}

/** The longest that a gateway's socket is called below its private folder. */
const gatewaySocket = `gateways/${"x".repeat(20)}/${socketName}`;
