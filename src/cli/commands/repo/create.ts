import { basename } from "node:path";
import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { parseRemote } from "../../../git/address.ts";
import type { BodyOf } from "../../../wire/contract.ts";
import { fields } from "../../../wire/fields.ts";
import { platforms } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { findPlace } from "../../flows/place/place.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";
import { defaultBranch, type Origin, readOrigin } from "./origin.ts";
import { findPlatform, publicProjectId } from "./platform.ts";

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
  aliases: ["new"],
  summary: "Register a repository; what isn't given is read from this working copy",
  examples: ["ferry repo create", "ferry repo create --provider prv_… --clone-url https://gitlab.com/acme/shop.git"],
  define(command) {
    command
      .option("--provider <id>", "the code provider that reaches it")
      .option("--full-name <owner/name>", "its name on the platform")
      .option("--clone-url <url>", "where it is cloned from")
      .option("--default-branch <name>", "its default branch")
      .option("--platform <platform>", `${platforms.join(" or ")}: any git remote or path`)
      .option("--external-id <id>", "its id on the platform")
      .option("--disabled", "register it without letting agents use it", false);
  },
  async run(context, options: Options) {
    const connection = await connect(context);
    const body = await describe(context, options, connection);
    const repository = await connection.client.createRepository({ body });
    await showOne(context, repository, repositoryLines(repository, context.host), fields.repository);
  },
};

async function describe(context: Context, options: Options, connection: Connection): Promise<BodyOf<"createRepository">> {
  const found = options.cloneUrl === undefined ? await fromWorkingCopy(context, connection, options) : {};
  const cloneUrl = options.cloneUrl ?? found.cloneUrl ?? "";
  const fullName = options.fullName ?? nameOf(cloneUrl);
  const provider = options.provider ?? found.provider;
  return {
    name: basename(fullName),
    full_name: fullName,
    clone_url: cloneUrl,
    platform: platformOf(options.platform, provider),
    enabled: !options.disabled,
    ...defined("default_branch", options.defaultBranch ?? found.defaultBranch),
    ...defined("code_provider_id", provider),
    ...defined("external_id", options.externalId ?? found.externalId),
  };
}

function platformOf(platform: string | undefined, provider: string | undefined): (typeof platforms)[number] {
  const wanted = platform ?? (provider === undefined ? "git" : "gitlab");
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

/** The embedded service takes the folder itself; another one needs an address that it can reach. */
async function fromWorkingCopy(context: Context, connection: Connection, options: Options): Promise<WorkingCopy> {
  const place = await findPlace(context);
  if (connection.host === local) return { cloneUrl: place.repository.commonDir, ...defined("defaultBranch", place.branch) };
  const origin = await readOrigin(context, place);
  const branch = options.defaultBranch ?? (await defaultBranch(context, place, origin.remote));
  return {
    cloneUrl: origin.cloneUrl,
    ...defined("defaultBranch", branch ?? (await ask(context, "Default branch:", place.branch))),
    ...(await onPlatform(context, connection, origin, options)),
  };
}

/** Nothing where the service has no credential for the platform, or the user says what reaches it. */
async function onPlatform(context: Context, connection: Connection, { address }: Origin, options: Options): Promise<WorkingCopy> {
  if (address === undefined || options.platform === "git" || options.provider !== undefined) return {};
  const platform = await findPlatform(context, connection, address);
  if (platform === undefined) return {};
  const id = options.externalId ?? (await publicProjectId(context.host, platform, address.path));
  return {
    // The provider's token goes over http.
    cloneUrl: `${new URL(platform.url).origin}/${address.path}.git`,
    provider: platform.providerId,
    ...defined("externalId", id ?? (await ask(context, `Project id on ${address.host} (Enter: none):`))),
  };
}

/** Undefined where nobody is there, or nothing is said. */
async function ask({ interactive, host }: Context, question: string, preset?: string): Promise<string | undefined> {
  const answer = interactive ? await host.prompt.text(question, defined("preset", preset)) : "";
  return answer.trim() === "" ? undefined : answer.trim();
}

function nameOf(cloneUrl: string): string {
  const path = parseRemote(cloneUrl)?.path;
  if (path !== undefined) return path;
  const folder = cloneUrl.replace(/\/+(\.git)?\/*$/u, "").replace(/\.git$/u, "");
  return `local/${basename(folder)}`;
}

function defined<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: T });
}
