/** What the launcher inside is told in the environment; no secret is in it. */
export interface Launch {
  /** Files in HOME, by their paths below it. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders that go before PATH. */
  readonly programs: readonly string[];
}

export const launchVariable = "FERRY_LAUNCH";

/** Stands for the gateway's address, in variables, files and arguments: the port is known only inside. */
export const standIn = "http://gateway.invalid";

/** What an agent has in the place of a key: it must have one, and it is worth nothing. */
export const placeholder = "sk-ferry-placeholder";
