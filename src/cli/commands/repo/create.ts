import { basename } from "node:path";
import { shown } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { parseRemote } from "../../../git/address.ts";
import type { BodyOf } from "../../../wire/contract.ts";
import { fields } from "../../../wire/fields.ts";
import { type Platform, platforms } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import { hostArgument } from "../../flows/host/argument.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { checkBranchName, isBranchName } from "../../flows/place/branch-name.ts";
import type { KnownRepository } from "../../flows/place/repository.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";
import { checkBranch, type Lying, whereItLies } from "./lying.ts";
import { defaultBranch, type Origin } from "./origin.ts";
import { findPlatform, overHttp, platformNamed, type PlatformMatch, publicProjectId } from "./platform.ts";
import { namingRequired } from "./required.ts";
import { findRegistered, nameOf, refuseOther } from "./registered.ts";

interface Options {
  readonly provider?: string;
  readonly fullName?: string;
  readonly cloneUrl?: string;
  readonly defaultBranch?: string;
  readonly platform?: string;
  readonly externalId?: string;
  readonly disabled: boolean;
}

export const create: Verb = {
  name: "create",
  summary: "Register a repository; what isn't given is read from this working copy",
  answer: fields.repository,
  examples: ["ferry repo create", "ferry repo create --provider prv_… --clone-url https://gitlab.com/acme/shop.git"],
  define(command) {
    command
      .option("--provider <provider>", "id or name of the code provider that reaches it")
      .option("--full-name <owner/name>", "its name on the platform")
      .option("--clone-url <url>", "where it is cloned from")
      .option("--default-branch <name>", "its default branch")
      .option("--platform <platform>", `${platforms.join(" or ")}: any git remote or path`)
      .option("--external-id <id>", "its id on the platform")
      .option("--disabled", "register it without letting agents use it", false);
  },
  async run(context, options: Options) {
    const { provider, cloneUrl } = options;
    await checkBranchName(context, options.defaultBranch, "--default-branch");
    const connection = await connect(context);
    const named = provider === undefined ? undefined : await platformNamed(connection, provider);
    const platform = await platformOf(connection, options.platform, provider);
    const lying = await whereItLies(context, connection, cloneUrl, platform === "git");
    const known = await findRegistered(connection, lying.cloneUrl);
    if (known !== undefined) {
      const { fullName, defaultBranch, externalId, disabled } = options;
      const wished = { fullName, defaultBranch, externalId, disabled, platform: options.platform, provider: named?.providerId };
      refuseOther(known, wished);
      await context.print.note(`already registered as ${nameOf(known)}`);
    }
    const repository = known ?? (await register(context, connection, { ...options, named, lying }));
    await showOne(context, repository, repositoryLines(repository, context.host), fields.repository);
    if (known === undefined && !repository.default_branch && !context.global.json) await tellBranchless(context, repository);
  },
};

/** Sessions begin at it where they name no other. What was registered can't be told it any more (the seed's PATCH takes `enabled`). */
async function tellBranchless(context: Context, repository: KnownRepository): Promise<void> {
  const host = hostArgument(context);
  const anew = `ferry repo delete ${shellWord(repository.id)}${host}, then: ferry repo create${host} --default-branch NAME`;
  await context.print.note(`which branch is its default isn't known; to name it, register it anew: ${anew}`);
}

/** What is wanted, the provider that was named, and where the repository is. */
interface Wanted extends Options {
  readonly named: PlatformMatch | undefined;
  readonly lying: Lying;
}

async function register(context: Context, connection: Connection, wanted: Wanted): Promise<KnownRepository> {
  const body = await describe(context, connection, wanted);
  try {
    return await connection.client.createRepository({ body });
  } catch (error) {
    throw namingRequired(namingRemote(error, wanted.lying, body.clone_url), body);
  }
}

/** The field of an address that is refused is named as the flag for it: where a remote says it, nobody gave that. */
function namingRemote(error: unknown, { origin }: Lying, address: string): unknown {
  if (origin === undefined || !(error instanceof FerryError) || error.doubt !== undefined) return error;
  const message = error.message.replace(
    /(?<=^|; )clone_url(?=: )/u,
    () => `the remote ${oneLine(origin.remote)}, ${shown(address)}`,
  );
  if (message === error.message) return error;
  const { kind, status, code, details } = error;
  const hint = "give an address that the service reaches: --clone-url";
  return new FerryError(kind, message, { status, code, details, hint, cause: error });
}

async function describe(context: Context, connection: Connection, wanted: Wanted): Promise<BodyOf<"createRepository">> {
  const found = await fromWorkingCopy(context, connection, wanted);
  const cloneUrl = found.cloneUrl ?? wanted.lying.cloneUrl;
  const fullName = wanted.fullName ?? fullNameOf(cloneUrl);
  const provider = wanted.named?.providerId ?? found.provider;
  return {
    name: basename(fullName),
    full_name: fullName,
    clone_url: cloneUrl,
    platform: await platformOf(connection, wanted.platform, provider),
    enabled: !wanted.disabled,
    ...defined("default_branch", wanted.defaultBranch ?? found.defaultBranch),
    ...defined("code_provider_id", provider),
    ...defined("external_id", wanted.externalId ?? found.externalId),
  };
}

/** A service of the seed alone knows one platform; with our extension it takes any remote without a provider, too. */
async function platformOf({ client }: Connection, given: string | undefined, provider: string | undefined): Promise<Platform> {
  const takesAny = async () => (await client.capabilities()).has("sessions");
  const wanted = given ?? (provider === undefined && (await takesAny()) ? "git" : "gitlab");
  const known = platforms.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new FerryError("usage", `--platform ${wanted}: there is no such platform`, { hint: platforms.join(" or ") });
}

interface WorkingCopy {
  readonly cloneUrl?: string;
  readonly defaultBranch?: string;
  readonly provider?: string;
  readonly externalId?: string;
}

/** What it says beside the address; nothing where an address was given. */
async function fromWorkingCopy(context: Context, connection: Connection, wanted: Wanted): Promise<WorkingCopy> {
  const { place, origin } = wanted.lying;
  if (place === undefined) return {};
  if (origin === undefined) {
    await checkBranch(context, place, wanted.defaultBranch);
    return defined("defaultBranch", place.branch);
  }
  const branch = wanted.defaultBranch ?? (await defaultBranch(context, place, origin.remote));
  return {
    ...defined("defaultBranch", branch ?? (await askBranch(context, place.branch))),
    ...(await onPlatform(context, connection, origin, wanted)),
  };
}

/** Nothing where the service has no credential for the platform, or the user says what reaches it. */
async function onPlatform(context: Context, connection: Connection, { address }: Origin, options: Wanted): Promise<WorkingCopy> {
  if (address === undefined || options.platform === "git") return {};
  if (options.named !== undefined) return defined("cloneUrl", overHttp(options.named, address));
  const platform = await findPlatform(context, connection, address);
  if (platform === undefined) return {};
  const id = options.externalId ?? (await publicProjectId(context.host, platform, address.path));
  return {
    ...defined("cloneUrl", overHttp(platform, address)),
    provider: platform.providerId,
    ...defined("externalId", id ?? (await askProject(context, address.host))),
  };
}

function askBranch(context: Context, preset: string | undefined): Promise<string | undefined> {
  const fault = async (name: string) =>
    (await isBranchName(context, name)) ? undefined : `git takes no branch of the name ${oneLine(name)}`;
  return ask(context, "Default branch:", fault, preset);
}

/** GitLab's are numbers ("Projects API": `id`). */
function askProject(context: Context, host: string): Promise<string | undefined> {
  const fault = async (id: string) => (/^[0-9]+$/u.test(id) ? undefined : `${oneLine(id)} is no project's id: that is a number`);
  return ask(context, `Project id on ${host} (Enter: none):`, fault);
}

/** Until it is answered without a fault; undefined where nobody is there, or nothing is said. */
async function ask(
  { interactive, host, print }: Context,
  question: string,
  fault: (answer: string) => Promise<string | undefined>,
  preset?: string,
): Promise<string | undefined> {
  while (interactive) {
    const answer = (await host.prompt.text(question, defined("preset", preset))).trim();
    if (answer === "") return undefined;
    const wrong = await fault(answer);
    if (wrong === undefined) return answer;
    await print.note(wrong);
  }
  return undefined;
}

function fullNameOf(cloneUrl: string): string {
  const path = parseRemote(cloneUrl)?.path;
  if (path !== undefined) return path;
  const folder = cloneUrl.replace(/\/+(\.git)?\/*$/u, "").replace(/\.git$/u, "");
  return `local/${basename(folder)}`;
}

function defined<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: T });
}
