import { cut, oneLine } from "../../base/text.ts";
import { requesterParameters } from "../../wire/login.ts";
import type { Parameters } from "./parameters.ts";

/** Who asks for a key, by their own word: to be shown to a person, and believed by nobody. */
export interface Requester {
  readonly device: string;
  readonly system: string;
  readonly version: string;
}

export function readRequester(parameters: Parameters): Requester {
  const said = (name: string): string => cut(oneLine(parameters[name] ?? ""), 80);
  return {
    device: said(requesterParameters.device),
    system: said(requesterParameters.system),
    version: said(requesterParameters.version),
  };
}

/** What the key is called in lists. */
export function keyName({ device }: Requester): string {
  return device === "" ? "ferry" : `ferry on ${device}`;
}
