import type { Payload } from "../../wire/event.ts";
import type { Mount } from "../sandbox/driver.ts";
import type { InsideNode } from "../sandbox/node-mount.ts";

/** An agent that ferry can run: one file under `agents/` and one line in the registry. */
export interface AgentDefinition {
  /** What a session's `model` starts with; also the author's name of its commits. */
  readonly name: string;
  /** Whether a message may build on what its process still knows of earlier ones; one that doesn't ends with each turn. */
  readonly remembers: boolean;
  launch(place: AgentPlace): AgentLaunch;
}

/** Where the programs that an agent may need lie on the host. */
export interface AgentPlace {
  /** The folder of the built bundle. */
  readonly dist: string;
  readonly node: InsideNode;
}

/** How an agent is started inside of a sandbox. */
export interface AgentLaunch {
  readonly argv: readonly string[];
  /** What of the host it needs to see, read-only. */
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

/** A running agent. It takes one prompt at a time. */
export interface Agent {
  /**
   * Gives it a message and reports what it does, synchronously and in order, until the turn is over.
   * @throws FerryError failure with the reason where the turn failed or the agent died
   */
  prompt(text: string, report: (change: AgentChange) => void): Promise<TurnEnd>;
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
  /** A step ended that may have changed files: time to ask git. */
  | { readonly type: "worked" };
