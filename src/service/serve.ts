import { join } from "node:path";
import { FerryError } from "../base/errors.ts";
import { findFolders } from "../base/folders.ts";
import { makeGit } from "../git/runner.ts";
import type { Host } from "../host/host.ts";
import { knownAgents, makeAgents } from "./agent/agents.ts";
import { makeGateways, socketName } from "./agent/gateway/gateways.ts";
import type { AgentPlace } from "./agent/agent.ts";
import { placeSockets } from "./running/socket.ts";
import { type RunningService, runService, type ServiceHost } from "./running/run-service.ts";
import type { SandboxDriverName } from "./sandbox/driver.ts";
import { nodeMount } from "./sandbox/node-mount.ts";
import { chooseDriver, type Chosen, makeDrivers } from "./sandbox/registry.ts";
import { defaultLimits } from "./session/deps.ts";
import { makeSessions } from "./session/engine.ts";

export interface ServeOptions {
  /** The data folder, an absolute path; else `FERRY_DATA_DIR` or the platform's own. */
  readonly data?: string | undefined;
  readonly sandbox?: "auto" | SandboxDriverName | undefined;
  /** The agent of a session that names none; else the built-in `shell`. */
  readonly agent?: string | undefined;
  /** Whether to refuse to run where a limit of the sandbox can't be enforced. */
  readonly strict?: boolean | undefined;
  /** A loopback address and a port to listen on beside the socket; port 0 is one of the system's choice. */
  readonly tcp?: { readonly address: string; readonly port: number } | undefined;
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
  const data = options.data ?? findFolders(host).data;
  const model = options.agent ?? "shell";
  if (!knownAgents.some(({ name }) => name === model.split(":")[0]))
    throw new FerryError("usage", `there is no agent "${model}"`, {
      hint: `one of: ${knownAgents.map(({ name }) => name).join(", ")}`,
    });
  const { driver, probe } = await chooseSandbox(options, host);
  const place: AgentPlace = {
    dist: host.dist,
    node: await nodeMount(host.self[0] ?? "node"),
    find: (program) => host.processes.find(program),
    secret: (variable) => Promise.resolve(nonEmpty(host.env[variable])),
  };
  const agents = makeAgents(place);
  const gateways = makeGateways(join(await placeSockets(data, gatewaySocket, host), "gateways"), host.network.send);
  return runService(
    {
      ...options,
      data,
      makeSessions(store, log) {
        log.info("sandbox", { driver: driver.name, why: probe.reason, unenforced: probe.unenforced.join(" ") });
        const tell = (message: string): void => log.info(message);
        return makeSessions({
          store,
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
  const chosen = await chooseDriver(sandbox ?? sandboxOf(host), makeDrivers(host));
  const { driver, probe } = chosen;
  if (strict === true && probe.unenforced.length > 0)
    throw new FerryError("failure", `the sandbox ${driver.name} can't enforce here: ${probe.unenforced.join(", ")}`, {
      hint: "serve without --strict to do without it",
    });
  return chosen;
}

/** What the environment says; that an agent is not locked in at all must be said on the command line. */
function sandboxOf({ env }: ServeHost): "auto" | SandboxDriverName {
  const named = env["FERRY_SANDBOX"] ?? "";
  if (named === "process")
    throw new FerryError("usage", "FERRY_SANDBOX can't be `process`", { hint: "give it as `--sandbox process`" });
  return named === "" ? "auto" : (named as SandboxDriverName);
}

/** The longest that a gateway's socket is called below its private folder. */
const gatewaySocket = `gateways/${"x".repeat(20)}/${socketName}`;

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
