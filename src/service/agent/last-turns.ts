import { join } from "node:path";
import type { Files } from "../../host/host.ts";

/** How the newest turn of an agent ended. */
export interface LastTurn {
  readonly at: string;
  /** "" where it went well. */
  readonly failure: string;
}

const fileIn = (data: string): string => join(data, "last-turns.json");

/** By the agents' names. */
export async function readLastTurns(files: Pick<Files, "readText">, data: string): Promise<Readonly<Record<string, LastTurn>>> {
  const text = (await files.readText(fileIn(data))) ?? "{}";
  try {
    const kept: unknown = JSON.parse(text);
    return typeof kept === "object" && kept !== null ? (kept as Record<string, LastTurn>) : {};
  } catch (error) {
    // Only for show: a damaged one says nothing.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export async function noteTurn(
  files: Pick<Files, "readText" | "write">,
  data: string,
  agent: string,
  turn: LastTurn,
): Promise<void> {
  await files.write(fileIn(data), JSON.stringify({ ...(await readLastTurns(files, data)), [agent]: turn }), 0o600);
}
