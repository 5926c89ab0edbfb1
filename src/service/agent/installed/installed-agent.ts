import { access } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import type { Mount } from "../../sandbox/driver.ts";
import type { AgentDefinition, AgentLaunch, AgentPlace } from "../agent.ts";
import { type Access, findAccess } from "../gateway/access.ts";
import { providers } from "../gateway/provider.ts";
import { standIn } from "../launcher/launch.ts";
import type { ConfiguredAgent } from "./configured.ts";
import { insideProgram } from "./program.ts";
import type { Destination } from "../gateway/destination.ts";
import type { AgentRecipe, Way } from "./recipe.ts";

/** Where things of an agent lie inside. */
const folder = "/opt/ferry/agent";

/** The definition of an agent that users install themselves: found on PATH, or where the config says. */
export function installedAgent(recipe: AgentRecipe, configured?: ConfiguredAgent): AgentDefinition {
  return {
    name: recipe.name,
    remembers: true,
    countsAnew: recipe.countsAnew === true,

    async look(place) {
      const path = await findProgram(recipe, configured, place);
      const [access] = await accessesOf(recipe, configured, place);
      const keyless = configured?.keyless === true ? "needs none" : undefined;
      const paid = access === undefined ? keyless : access.key === "" ? access.address : access.form.variable;
      const signedIn =
        paid ?? ((recipe.own && (await place.signIn?.(recipe.name))) === undefined ? undefined : "its own sign-in");
      if (path === undefined) return { program: undefined, version: undefined, signedIn, remedy: installed(recipe, configured) };
      const version = await versionOf(path, configured, place);
      return { program: path, version, signedIn, remedy: signedIn === undefined ? signIn(recipe, configured) : "" };
    },

    async outside(place) {
      const path = recipe.own === undefined ? undefined : await findProgram(recipe, configured, place);
      return path === undefined ? undefined : [path, ...argumentsOf(recipe, configured)];
    },

    async launch(place, model) {
      const path = await findProgram(recipe, configured, place);
      if (path === undefined)
        throw new FerryError(
          "failure",
          `the agent "${recipe.name}" isn't installed: there is no ${programOf(recipe, configured)}`,
          {
            hint: installed(recipe, configured),
          },
        );
      const accesses = await accessesOf(recipe, configured, place);
      // A key stays outside of the sandbox, so that it comes first.
      const own = accesses.length > 0 ? undefined : recipe.own && (await place.signIn?.(recipe.name));
      if (accesses.length === 0 && own === undefined && !mayDoWithout(configured))
        throw new FerryError("auth", `the agent "${recipe.name}" has no key for its models`, {
          hint: signIn(recipe, configured),
        });
      const program = await programInside(path, configured, place);
      const companions = await companionsOf(recipe, place);
      const permissions = await place.permissions();
      const {
        args = [],
        env = {},
        files = {},
        protocol = {},
      } = own === undefined
        ? recipe.setUp(accesses.map(wayOf), model, permissions)
        : (recipe.own?.setUp(model, permissions) ?? {});
      return {
        argv: [...program.argv, ...argumentsOf(recipe, configured), ...args],
        mounts: [...program.mounts, ...companions],
        env: { ...(await variablesOf([...recipe.variables, ...(configured?.env ?? [])], place)), ...env },
        files,
        programs: companions.length === 0 ? [] : [`${folder}/bin`],
        accesses,
        network: [...(configured?.network ?? []), ...(own === undefined ? [] : hostsOf(recipe))],
        ...(own !== undefined && { home: own.home }),
        tools: true,
        protocol: { authMethod: own?.method ?? "", mode: "", model: "", ...protocol },
      } satisfies AgentLaunch;
    },
  };
}

/** One that is given variables of the user's own, or reaches hosts by itself, may need no gateway. */
function mayDoWithout(configured: ConfiguredAgent | undefined): boolean {
  if (configured === undefined) return false;
  const { keyless = false, env, network = [] } = configured;
  return keyless || env.length > 0 || network.length > 0;
}

function argumentsOf({ args }: AgentRecipe, configured: ConfiguredAgent | undefined): readonly string[] {
  return configured === undefined || configured.command.length === 0 ? args : configured.command.slice(1);
}

function hostsOf({ own }: AgentRecipe): Destination[] {
  return (own?.hosts ?? []).map((host) => ({ host, port: 443 }));
}

function programOf({ program }: AgentRecipe, configured: ConfiguredAgent | undefined): string {
  return configured?.command[0] ?? program;
}

/** Where the user names a command, that is what isn't there: how to install another is no help. */
function installed(recipe: AgentRecipe, configured: ConfiguredAgent | undefined): string {
  const [program] = configured?.command ?? [];
  if (program === undefined) return recipe.install;
  if (isAbsolute(program))
    return `there is no program ${program}: ferry config set agents.${recipe.name}.command '…' names another`;
  return `install ${program}, or name it by its full path: it isn't on PATH`;
}

async function findProgram(
  recipe: AgentRecipe,
  configured: ConfiguredAgent | undefined,
  place: AgentPlace,
): Promise<string | undefined> {
  const program = programOf(recipe, configured);
  if (!isAbsolute(program)) return place.find(program);
  // In an image of its own there are other files than here.
  if (place.ownPrograms === true) return program;
  return access(program).then(
    () => program,
    () => undefined,
  );
}

/** Where the user says what it needs, all of it is seen where it is on the host, and nothing is found out. */
async function programInside(path: string, configured: ConfiguredAgent | undefined, place: AgentPlace) {
  const mounts = (configured?.mounts ?? []).map((source): Mount => ({ source, target: source }));
  if (mounts.some(({ source }) => path === source || path.startsWith(`${source}/`))) return { argv: [path], mounts };
  const program = await insideProgram(path, folder, place);
  return { argv: program.argv, mounts: [...program.mounts, ...mounts] };
}

/** Of the npm package, where it is one: to ask the program itself would take seconds. */
async function versionOf(path: string, configured: ConfiguredAgent | undefined, place: AgentPlace): Promise<string | undefined> {
  if ((configured?.mounts.length ?? 0) > 0) return undefined;
  return (await insideProgram(path, folder, place)).version;
}

/** Each as a single file, as static binaries are. */
async function companionsOf({ companions }: AgentRecipe, place: AgentPlace): Promise<Mount[]> {
  const found = await Promise.all(companions.map((name) => place.find(name)));
  const programs = await Promise.all(
    found.filter((path) => path !== undefined).map((path) => insideProgram(path, `${folder}/bin`, place)),
  );
  return programs.flatMap(({ mounts }) => mounts);
}

async function accessesOf(
  { providers: names }: AgentRecipe,
  configured: ConfiguredAgent | undefined,
  { secret }: AgentPlace,
): Promise<Access[]> {
  // Whoever needs no key is given no way to spend what others' keys pay for.
  if (configured?.keyless === true) return [];
  const accesses = await Promise.all(names.map((name) => findAccess(providers[name], secret)));
  return accesses.filter((access) => access !== undefined);
}

async function variablesOf(names: readonly string[], { secret }: AgentPlace): Promise<Record<string, string>> {
  const entries = await Promise.all(names.map(async (name) => [name, await secret(name)] as const));
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

function signIn({ name, providers: names }: AgentRecipe, configured: ConfiguredAgent | undefined): string {
  const variables = names.map((provider) => providers[provider].keys[0].variable).join(" or ");
  const keyless =
    (configured?.command ?? []).length > 0 ? `; where it needs none: ferry config set agents.${name}.keyless true` : "";
  return `set ${variables} where the service starts, or: ferry service agents login ${name}${keyless}`;
}
