import { FerryError } from "../../../base/errors.ts";
import type { AgentDefinition, AgentLaunch, AgentPlace } from "../agent.ts";
import { type Access, findAccess } from "../gateway/access.ts";
import { providers } from "../gateway/provider.ts";
import { standIn } from "../launcher/launch.ts";
import { insideProgram } from "./program.ts";
import type { AgentRecipe, Way } from "./recipe.ts";

/** Where things of an agent lie inside. */
const folder = "/opt/ferry/agent";

/** The definition of an agent that users install themselves and ferry finds on PATH. */
export function installedAgent(recipe: AgentRecipe): AgentDefinition {
  return {
    name: recipe.name,
    remembers: true,

    async look(place) {
      const path = await place.find(recipe.program);
      const [access] = await accessesOf(recipe, place);
      const signedIn = access === undefined ? undefined : access.key === "" ? access.address : access.form.variable;
      if (path === undefined) return { program: undefined, version: undefined, signedIn, remedy: recipe.install };
      const { version } = await insideProgram(path, folder, place);
      return { program: path, version, signedIn, remedy: signedIn === undefined ? signIn(recipe) : "" };
    },

    async launch(place, model) {
      const path = await place.find(recipe.program);
      if (path === undefined)
        throw new FerryError("failure", `the agent "${recipe.name}" isn't installed: there is no ${recipe.program} on the PATH`, {
          hint: recipe.install,
        });
      const accesses = await accessesOf(recipe, place);
      if (accesses.length === 0)
        throw new FerryError("auth", `the agent "${recipe.name}" has no key for its models`, { hint: signIn(recipe) });
      return fitOut(recipe, place, { path, accesses, model });
    },
  };
}

async function fitOut(
  recipe: AgentRecipe,
  place: AgentPlace,
  { path, accesses, model }: { path: string; accesses: readonly Access[]; model: string },
): Promise<AgentLaunch> {
  const program = await insideProgram(path, folder, place);
  const companions = await companionsOf(recipe, place);
  const { args = [], env = {}, files = {}, protocol = {} } = recipe.setUp(accesses.map(wayOf), model);
  return {
    argv: [...program.argv, ...recipe.args, ...args],
    mounts: [...program.mounts, ...companions],
    env: { ...(await variablesOf(recipe, place)), ...env },
    files,
    programs: companions.length === 0 ? [] : [`${folder}/bin`],
    accesses,
    protocol: { authMethod: "", mode: "", model: "", ...protocol },
  };
}

/** Each as a single file, as static binaries are. */
async function companionsOf({ companions }: AgentRecipe, place: AgentPlace) {
  const found = await Promise.all(companions.map((name) => place.find(name)));
  const programs = await Promise.all(
    found.filter((path) => path !== undefined).map((path) => insideProgram(path, `${folder}/bin`, place)),
  );
  return programs.flatMap(({ mounts }) => mounts);
}

async function accessesOf({ providers: names }: AgentRecipe, { secret }: AgentPlace): Promise<Access[]> {
  const accesses = await Promise.all(names.map((name) => findAccess(providers[name], secret)));
  return accesses.filter((access) => access !== undefined);
}

async function variablesOf({ variables }: AgentRecipe, { secret }: AgentPlace): Promise<Record<string, string>> {
  const entries = await Promise.all(variables.map(async (name) => [name, await secret(name)] as const));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function wayOf({ provider, address, form }: Access): Way {
  return {
    provider: provider.name,
    address: `${standIn}/${provider.name}`,
    variable: form.variable,
    elsewhere: address !== provider.address,
  };
}

function signIn({ name, providers: names }: AgentRecipe): string {
  const variables = names.map((provider) => providers[provider].keys[0].variable).join(" or ");
  return `set ${variables} where the service starts, or: ferry service agents login ${name}`;
}
