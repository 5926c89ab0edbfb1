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
import type { KnownRepository } from "../../flows/place/repository.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";
import { checkBranch, type Lying, whereItLies } from "./lying.ts";
import { defaultBranch, type Origin } from "./origin.ts";
import { findPlatform, overHttp, platformNamed, type PlatformMatch, publicProjectId } from "./platform.ts";
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
    const connection = await connect(context);
    const { provider, cloneUrl } = options;
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

/** Sessions begin at it where they name no other. */
async function tellBranchless(context: Context, repository: KnownRepository): Promise<void> {
  const edit = `ferry repo edit ${shellWord(repository.id)}${hostArgument(context)} --default-branch NAME`;
  await context.print.note(`which branch is its default isn't known; name it: ${edit}`);
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
    throw namingRemote(error, wanted.lying, body.clone_url);
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
    ...defined("defaultBranch", branch ?? (await ask(context, "Default branch:", place.branch))),
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
    ...defined("externalId", id ?? (await ask(context, `Project id on ${address.host} (Enter: none):`))),
  };
}

/** Undefined where nobody is there, or nothing is said. */
async function ask({ interactive, host }: Context, question: string, preset?: string): Promise<string | undefined> {
  const answer = interactive ? await host.prompt.text(question, defined("preset", preset)) : "";
  return answer.trim() === "" ? undefined : answer.trim();
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
