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
}

/**
 * The agents that settings of the form `agents.NAME.FIELD` speak of.
 * @throws FerryError usage for a command line with a quote that doesn't end, and for a host that is none
 */
export function configuredAgents(settings: Readonly<Record<string, string>>): ConfiguredAgent[] {
  const agents = new Map<string, ConfiguredAgent>();
  for (const [key, value] of Object.entries(settings)) {
    const [, name, field] = /^agents\.([^.]+)\.(command|mounts|env|keyless|network)$/u.exec(key) ?? [];
    if (name === undefined) continue;
    const known = agents.get(name) ?? { name, command: [], mounts: [], env: [] };
    if (field === "command") agents.set(name, { ...known, command: splitWords(value) });
    else if (field === "mounts") agents.set(name, { ...known, mounts: value.split(":") });
    else if (field === "keyless") agents.set(name, { ...known, keyless: value === "true" });
    else if (field === "network") agents.set(name, { ...known, network: destinationsIn(value) });
    else agents.set(name, { ...known, env: value.split(/[ ,]+/u) });
  }
  return [...agents.values()];
}

function destinationsIn(text: string): Destination[] {
  return text.split(/[ ,]+/u).map((word) => {
    const destination = destinationOf(word);
    if (destination !== undefined) return destination;
    throw new FerryError("usage", `"${oneLine(word)}" is no host that an agent may reach`, { hint: "HOST or HOST:PORT" });
  });
}
