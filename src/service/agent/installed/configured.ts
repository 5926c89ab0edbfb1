import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { splitWords } from "../../../base/words.ts";
import { type Destination, destinationOf } from "../gateway/destination.ts";

/** What the user says of an agent in ferry's config. */
export interface ConfiguredAgent {
  readonly name: string;
  /** Its argv; empty for one that is found by its own name. */
  readonly command: readonly string[];
  /** Absolute paths, seen inside where they are. */
  readonly mounts: readonly string[];
  /** Names of variables of the service that it is given. */
  readonly env: readonly string[];
  /** Whether it calls no model by ferry's gateway. */
  readonly keyless?: boolean;
  /** Hosts that it may reach beside its models' providers. */
  readonly network?: readonly Destination[];
  /** Why it can't be used: a setting that can't be read, which is named. */
  readonly fault?: FerryError;
}

/**
 * The agents that settings of the form `agents.NAME.FIELD` speak of. What can't be read of one makes that one unusable, and says why:
 * the others have nothing to do with it.
 */
export function configuredAgents(settings: Readonly<Record<string, string>>): ConfiguredAgent[] {
  const agents = new Map<string, ConfiguredAgent>();
  for (const [key, value] of Object.entries(settings)) {
    const [, name, field] = /^agents\.([^.]+)\.(command|mounts|env|keyless|network)$/u.exec(key) ?? [];
    if (name === undefined) continue;
    const known = agents.get(name) ?? { name, command: [], mounts: [], env: [] };
    agents.set(name, { ...known, ...read(key, field as Field, value) });
  }
  return [...agents.values()];
}

/** @throws FerryError usage for a value by which its agent couldn't be used */
export function checkAgentSetting(key: string, value: string): void {
  const fault = configuredAgents({ [key]: value }).find((agent) => agent.fault !== undefined)?.fault;
  if (fault !== undefined) throw new FerryError("usage", fault.message);
}

type Field = "command" | "mounts" | "env" | "keyless" | "network";

function read(key: string, field: Field, value: string): Partial<ConfiguredAgent> {
  try {
    return readers[field](value);
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    const message = `${key}: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`;
    return { fault: new FerryError("failure", message, { hint: `ferry config unset ${key}` }) };
  }
}

const readers: Readonly<Record<Field, (value: string) => Partial<ConfiguredAgent>>> = {
  command: (value) => ({ command: splitWords(value) }),
  mounts: (value) => ({ mounts: value.split(":") }),
  env: (value) => ({ env: value.split(/[ ,]+/u) }),
  keyless: (value) => ({ keyless: value === "true" }),
  network: (value) => ({ network: destinationsIn(value) }),
};

/** @throws FerryError usage for a host that is none */
function destinationsIn(text: string): Destination[] {
  return text.split(/[ ,]+/u).map((word) => {
    const destination = destinationOf(word);
    if (destination !== undefined) return destination;
    throw new FerryError("usage", `"${oneLine(word)}" is no host that an agent may reach`, { hint: "HOST or HOST:PORT" });
  });
}
