import type { InputSchema } from "../../agent/tools/tool-box.ts";
import type { Payload } from "../../../wire/event.ts";
import type { Session } from "../../../wire/resources.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import type { SessionsDeps } from "../deps.ts";
import type { Arguments } from "./arguments.ts";

/** A tool that the agent of a session is handed. */
export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Whether it asks the repository's origin; that is done a limited number of times in a turn. */
  readonly remote: boolean;
  /** @throws FerryError or Problem for the agent: with what can't be, in one line */
  run(scene: Scene, args: Arguments): Promise<Done>;
}

/** Where a tool works. */
export interface Scene {
  readonly deps: SessionsDeps;
  readonly session: Session;
  readonly sandbox: Sandbox;
  /** The workspace as a tree, a moment ago. */
  readonly tree: string;
  /** Stops it. */
  readonly signal: AbortSignal;
}

export interface Done {
  /** For the agent. */
  readonly text: string;
  /** For the timeline. */
  readonly payloads: readonly Payload[];
}

export const noInput: InputSchema = { type: "object", properties: {}, additionalProperties: false };

export function repositoryOf({ session }: Scene): { repository_id: string } {
  return { repository_id: session.repository_id ?? "" };
}
