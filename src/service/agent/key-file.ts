import { join } from "node:path";
import type { Environment, Files } from "../../host/host.ts";
import type { Secret } from "./gateway/access.ts";

/** Keys of model providers that the user gave the service, by the names of their variables. */
type ModelKeys = Readonly<Record<string, string>>;

/** Only the service's user can open it, and no sandbox sees it. */
const fileIn = (data: string): string => join(data, "model-keys.json");

/** The value of a variable: of the service's environment, else of its file of keys, which is read each time. */
export function secretsOf(env: Environment, files: Pick<Files, "readText">, data: string): Secret {
  return async (variable) => {
    const given = env[variable];
    return given === undefined || given === "" ? (await read(files, data))[variable] : given;
  };
}

/** Keeps a key, or with "" forgets it. */
export async function keepModelKey(
  files: Pick<Files, "readText" | "write">,
  data: string,
  variable: string,
  key: string,
): Promise<void> {
  const { [variable]: _before, ...others } = await read(files, data);
  await files.write(fileIn(data), JSON.stringify(key === "" ? others : { ...others, [variable]: key }), 0o600);
}

async function read(files: Pick<Files, "readText">, data: string): Promise<ModelKeys> {
  const text = await files.readText(fileIn(data));
  if (text === undefined) return {};
  try {
    const kept: unknown = JSON.parse(text);
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch (error) {
    // A damaged file holds no key; the next one that is given writes it anew.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
