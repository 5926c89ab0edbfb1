import { makeId } from "../../../base/ids.ts";
import type { Clock } from "../../../host/host.ts";
import type { Session } from "../../../wire/resources.ts";
import { connectAgent } from "../../agent/acp.ts";
import type { Agent, AgentDefinition, AgentLaunch } from "../../agent/agent.ts";
import type { Gateway } from "../../agent/gateway/gateways.ts";
import { noUsage } from "../../agent/gateway/usage.ts";
import { type Outfit, outfit } from "../../agent/launcher/outfit.ts";
import type { ExecOptions, ExecResult, Sandbox } from "../../sandbox/driver.ts";
import type { Rescue } from "../../sandbox/folder/rescue.ts";
import type { SessionsDeps } from "../deps.ts";
import { filesOf } from "../../agent/sign-in/store.ts";
import { fillHome } from "../memory/home.ts";
import { keepMemory, type Memory, restoreMemory } from "../memory/memory.ts";
import { within } from "../../patience.ts";
import { layout } from "../repository/layout.ts";
import { Desk } from "../tools/desk.ts";
import { newCost, type TurnUsage } from "../turn/usage.ts";
import { type Changes, seeChanges } from "./changes.ts";
import { guarded } from "./guard.ts";
import { gitEnvironment } from "./inside.ts";
import { prepareWorkspace } from "./prepare.ts";

/** What a room is made of. */
interface Parts {
  readonly definition: AgentDefinition;
  readonly launch: AgentLaunch;
  readonly gateway: Gateway | undefined;
  readonly fitted: Outfit;
  readonly desk: Desk;
  readonly sandbox: Sandbox;
}

/** The agent, and what it remembers of the session. */
export interface Present {
  readonly agent: Agent;
  /** Whether its process is a new one, that no message was given to. */
  readonly fresh: boolean;
  /** Up to where a new one knows the session; undefined where it knows nothing of it. */
  readonly memory: Memory | undefined;
}

/** Until when the service may run something in a sandbox, with the reason why no longer. */
export interface Bounds {
  /** For looks at the workspace. */
  readonly look: AbortSignal;
  /** For all of it. */
  readonly all: AbortSignal;
}

/** A session's sandbox with its workspace, and the agent that works in it. */
export class Room {
  /** What is run in it by `exec` is within the room's bounds. */
  readonly sandbox: Sandbox;
  /** Where the agent calls ferry's tools. */
  readonly desk: Desk;
  /** Whether it may hold what the last turn could not bring home. */
  unsaved = false;
  /** Whether its files may hold what no look has seen, since the last one failed. */
  unseen = false;
  private readonly deps: SessionsDeps;
  private readonly session: Session;
  private readonly parts: Parts;
  private current: Agent | undefined;
  /** As its HOME has it, which a process of it that is gone has left behind. */
  private memory: Memory | undefined;
  private tree = "";
  /** What the agent said last that its session has cost, in USD. */
  private cost = 0;
  private bounds: Bounds | undefined;

  private constructor(deps: SessionsDeps, session: Session, parts: Parts) {
    this.deps = deps;
    this.session = session;
    this.parts = parts;
    this.sandbox = { ...parts.sandbox, exec: (argv, options) => this.exec(argv, options) };
    this.desk = parts.desk;
  }

  /**
   * A new sandbox for an agent, with a clean clone of the session's branch.
   * @throws FerryError failure with the reason where there can't be one; nothing is left of it then
   */
  static async make(deps: SessionsDeps, session: Session, launch: AgentLaunch): Promise<Room> {
    const definition = await deps.agents.find(session.model);
    const id = makeId("sbx", deps.host.random);
    const desk = new Desk();
    const unreachable = (reason: string): void => desk.remark(reason);
    const { accesses, network, tools } = launch;
    const ways = { accesses, network, box: tools ? desk : undefined, unreachable, version: deps.host.version };
    const gateway = tools || network.length > 0 ? await deps.gateways.open(id, ways) : undefined;
    try {
      const fitted = outfit(launch, { place: deps.place, driver: deps.driver.name, gateway });
      const sandbox = await deps.driver.create({
        id,
        root: layout.sandboxes(deps.data),
        mounts: fitted.mounts,
        sockets: fitted.sockets,
        env: { ...gitEnvironment(definition.name), ...fitted.env },
        limits: deps.limits.sandbox,
      });
      return await Room.furnish(deps, session, { definition, launch, gateway, fitted, desk, sandbox });
    } catch (error) {
      await gateway?.close();
      throw error;
    }
  }

  /** With the clone in it. */
  private static async furnish(deps: SessionsDeps, session: Session, parts: Parts): Promise<Room> {
    const room = new Room(deps, session, parts);
    try {
      await prepareWorkspace(deps.git, parts.sandbox, layout.repository(deps.data, session.id), session.branch_name);
      await room.look();
      const { definition, sandbox } = parts;
      if (definition.remembers) room.memory = await restoreMemory(deps, session.id, definition.name, sandbox);
      if (parts.launch.home !== undefined) await fillHome(sandbox, await filesOf(deps.host.files, parts.launch.home));
      return room;
    } catch (error) {
      await parts.sandbox.destroy();
      throw error;
    }
  }

  /** The workspace as a tree, at the last look. */
  get lastTree(): string {
    return this.tree;
  }

  /** The agent that is there, or a new one that goes on with its earlier session if it can. @throws FerryError failure where it doesn't come up */
  async agent(): Promise<Present> {
    const { memory } = this;
    if (this.current !== undefined) return { agent: this.current, fresh: false, memory };
    const { definition, launch, fitted } = this.parts;
    const child = await this.sandbox.spawn(fitted.argv, { cwd: this.sandbox.workspace });
    const options = {
      name: definition.name,
      cwd: this.sandbox.workspace,
      repositoryId: this.session.repository_id ?? "",
      version: this.deps.host.version,
      wishes: launch.protocol,
      permissions: this.deps.place.permissions,
      resume: memory?.session ?? "",
      servers: fitted.servers,
    };
    try {
      const { clock } = this.deps.host;
      const starting = connectAgent(child, options);
      const agent = await within(clock, this.deps.limits.startup, `starting the agent "${definition.name}"`, starting);
      if (agent.resumed) await calm(agent, clock);
      // Also of a turn that the earlier process died in, which is in no memory.
      this.cost = agent.resumed && !definition.countsAnew ? Math.max(this.cost, memory?.cost ?? 0) : 0;
      this.current = agent;
      void agent.gone.then(() => {
        if (this.current === agent) this.current = undefined;
      });
      return { agent, fresh: true, memory: agent.resumed ? memory : undefined };
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  /** After a turn: what the agent remembers of it is kept, so that a later process can go on there. */
  async remember(message: string): Promise<void> {
    if (this.current === undefined) return;
    const turn = { sessionId: this.session.id, agent: this.parts.definition.name, message, cost: this.cost };
    this.memory = await keepMemory(this.deps, this.sandbox, this.current, turn);
  }

  /**
   * What was taken of models since the last time that it was asked.
   * @param total what the agent says that its session has cost so far; undefined where it doesn't say
   */
  takeUsage(total: number | undefined): TurnUsage {
    const usage = this.parts.gateway?.takeUsage() ?? noUsage;
    const cost = total === undefined ? undefined : newCost(total, this.cost);
    this.cost = total ?? this.cost;
    return { ...usage, cost };
  }

  /** Whether a message may build on earlier ones. */
  get remembers(): boolean {
    return this.parts.definition.remembers;
  }

  /** The next message starts a new one. */
  dismissAgent(): void {
    this.current?.close();
    this.current = undefined;
  }

  /** What changed in the workspace since the last look. @throws FerryError failure where git can't read it */
  async look(): Promise<Changes> {
    const { look } = this.bounds ?? {};
    this.unseen = true;
    const changes = await seeChanges(this.sandbox, this.tree, this.session.repository_id ?? "", look);
    this.tree = changes.tree;
    this.unseen = false;
    return changes;
  }

  /** Whether there still is a repository in it: an agent can remove that too, or put something there that git waits for. */
  async isIntact(): Promise<boolean> {
    // It reads two files.
    const timeout = this.deps.limits.saving / 3;
    const question = guarded(["git", "rev-parse", "--git-dir"], 100);
    return this.parts.sandbox.exec(question, { cwd: this.sandbox.workspace, timeout }).then(
      ({ code }) => code === 0,
      () => false,
    );
  }

  /** For all that the service begins in it from now on, until others are given. */
  boundBy(bounds: Bounds): void {
    this.bounds = bounds;
  }

  /** Whether no look at the workspace may be had any more, though the rest may. */
  get isSeen(): boolean {
    return this.bounds?.look.aborted === true && !this.bounds.all.aborted;
  }

  private async exec(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const signals = [options.signal, this.bounds?.all].filter((signal) => signal !== undefined);
    if (signals.length === 0) return this.parts.sandbox.exec(argv, options);
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    return this.parts.sandbox.exec(argv, { ...options, signal });
  }

  /** Between two turns: nothing needs to run for an agent that remembers nothing. */
  async rest(): Promise<void> {
    if (!this.remembers) await this.quiet();
  }

  /** Ends all that runs in it; the workspace stays. */
  async quiet(): Promise<void> {
    this.dismissAgent();
    await this.sandbox.killAll();
  }

  /** @param rescue takes out of the sandbox's folder what may not go with it */
  async destroy(rescue?: Rescue): Promise<void> {
    this.dismissAgent();
    try {
      await this.sandbox.destroy(rescue);
    } finally {
      await this.parts.gateway?.close();
    }
  }
}

/**
 * Waits until an agent has told its old session again. That should be over when it answers `session/load`; some (Gemini, and what was
 * made from it) don't wait for themselves, and the rest would be taken for the next turn's.
 */
async function calm(agent: Agent, clock: Clock): Promise<void> {
  for (let looks = 0, before = -1; looks < 30 && agent.strays() !== before; looks++) {
    before = agent.strays();
    await clock.sleep(100);
  }
}
