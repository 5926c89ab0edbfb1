import type { Payload } from "../../wire/event.ts";
import type { Mount } from "../sandbox/driver.ts";
import type { InsideNode } from "../sandbox/node-mount.ts";
import type { PermissionPolicy } from "./ask/permission.ts";
import type { Ask } from "./ask/question.ts";
import type { Access, Secret } from "./gateway/access.ts";
import type { Destination } from "./gateway/destination.ts";
import type { SignIn } from "./sign-in/store.ts";

/** An agent that ferry can run: one file under `agents/` and one line in the registry. */
export interface AgentDefinition {
  /** What a session's `model` starts with; also the author's name of its commits. */
  readonly name: string;
  /** Whether a message may build on what its process still knows of earlier ones; one that doesn't ends with each turn. */
  readonly remembers: boolean;
  /** Whether each process of it counts its cost from nothing, also one that goes on with an earlier session, whose whole cost ACP means. */
  readonly countsAnew: boolean;
  /** What is there of it on this machine. */
  look(place: AgentPlace): Promise<AgentState>;
  /** The command line by which it can sign in by itself, outside of a sandbox; undefined where it can't, or isn't installed. */
  outside(place: AgentPlace): Promise<readonly string[] | undefined>;
  /**
   * @param model what the session's `model` says behind the agent's name; "" where it leaves that to the agent
   * @throws FerryError failure or auth with the remedy where it can't be started here
   */
  launch(place: AgentPlace, model: string): Promise<AgentLaunch>;
}

/** Where the programs and keys that an agent may need are on the host. */
export interface AgentPlace {
  /** The folder of the built bundle. */
  readonly dist: string;
  readonly node: InsideNode;
  /** Whether the sandbox has programs of its own instead of this machine's, its `node` among them. */
  readonly ownPrograms?: boolean;
  /** The absolute path of a program on PATH. */
  readonly find: (program: string) => Promise<string | undefined>;
  readonly secret: Secret;
  /** The sign-in that an agent keeps by itself, where it has one. */
  readonly signIn?: (agent: string) => Promise<SignIn | undefined>;
  /** Whether it asks the user what it may do, now. */
  readonly permissions: () => Promise<PermissionPolicy>;
}

/** An agent as it is on this machine. */
export interface AgentState {
  /** Its program on the host; undefined where there is none. */
  readonly program: string | undefined;
  readonly version: string | undefined;
  /** What its model calls are paid with, e.g. a variable's name; undefined where it can't make any. */
  readonly signedIn: string | undefined;
  /** What to do next to be able to use it; "" where it is ready. */
  readonly remedy: string;
}

/** How an agent is started inside of a sandbox. */
export interface AgentLaunch {
  readonly argv: readonly string[];
  /** What of the host it needs to see, read-only. */
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  /** Its settings, as files in HOME by their paths below it. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders inside that go before PATH. */
  readonly programs: readonly string[];
  /** The providers that it may call. With none there is no way out of its sandbox at all. */
  readonly accesses: readonly Access[];
  /** Other hosts that it may reach by itself; none but where the user lists them. */
  readonly network: readonly Destination[];
  /** The folder on the host whose files it is to have in its HOME: its own sign-in. */
  readonly home?: string;
  /** Whether it takes ferry's tools, by MCP. */
  readonly tools: boolean;
  readonly protocol: ProtocolWishes;
}

/** What is asked of an agent when its session begins; what it doesn't have is left out, "" is nothing. */
export interface ProtocolWishes {
  /** The way to sign in that it must be told to take. */
  readonly authMethod: string;
  /** The mode in which it asks us, and no reviewer of its own. */
  readonly mode: string;
  readonly model: string;
}

/** A running agent. It takes one prompt at a time. */
export interface Agent {
  /** Its own name of the session, by which a later process can go on with it; "" where none can. */
  readonly session: string;
  /** Whether it went on with the session that it was asked for. */
  readonly resumed: boolean;
  /** How many updates came outside of a turn, and were dropped. */
  strays(): number;
  /**
   * Gives it a message and reports what it does, synchronously and in order, until the turn is over. What `report` gives resolves when
   * there is room for more.
   * @param ask asks the user what the agent asks
   * @param past what it should know before it reads the message; "" for nothing
   * @throws FerryError failure with the reason where the turn failed or the agent died
   */
  prompt(text: string, report: (change: AgentChange) => Promise<void> | undefined, ask: Ask, past?: string): Promise<TurnEnd>;
  /** Asks it to stop; the prompt then ends as `canceled`. It may not listen: whoever means it kills the sandbox's processes. */
  cancel(): Promise<void>;
  /** Resolves when its process is gone. */
  readonly gone: Promise<unknown>;
  close(): void;
}

/** `remark` says why a turn ended early although nothing failed, "" else. */
export interface TurnEnd {
  readonly outcome: "completed" | "canceled";
  readonly remark: string;
}

/** Something that an agent did, in the timeline's words. */
export type AgentChange =
  /** An event that begins, or the newest state of one; `key` tells which within the turn. */
  | { readonly type: "event"; readonly key: string; readonly payload: Payload; readonly done: boolean }
  /** Text as it is written; the whole of it follows as an agent_message. */
  | { readonly type: "delta"; readonly text: string }
  /** What its session has cost so far, in USD. */
  | { readonly type: "cost"; readonly total: number }
  /** A step ended that may have changed files: time to ask git. */
  | { readonly type: "worked" };
