import { join } from "node:path";
import type { Environment, Files } from "../../host/host.ts";
import type { Secret } from "./gateway/access.ts";
import { providers } from "./gateway/provider.ts";

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

/**
 * What an environment says of models' providers, for whoever shows it: of keys no more than that they are there, and of addresses what no
 * secret can be in.
 */
export function modelVariables(env: Environment): Record<string, string> {
  const forms = Object.values(providers).flatMap(({ addressVariable, keys }) => [
    { variable: addressVariable, tell: plainAddress },
    ...keys.map(({ variable }) => ({ variable, tell: () => hidden })),
  ]);
  const said = forms.map(({ variable, tell }) => [variable, env[variable] ?? "", tell] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== "").map(([variable, value, tell]) => [variable, tell(value)]));
}

/** The environment with these in the place of its own. */
export function withModelVariables(env: Environment, variables: Readonly<Record<string, string>>): Environment {
  const own = modelVariables(env);
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(own, name))), ...variables };
}

const hidden = "…";

function plainAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.username !== "" || url.password !== "" || url.search !== "" ? hidden : url.href;
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
