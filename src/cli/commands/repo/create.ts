import { basename } from "node:path";
import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { listRemotes } from "../../../git/remotes.ts";
import type { BodyOf } from "../../../wire/contract.ts";
import { fields } from "../../../wire/fields.ts";
import { platforms } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import { connect } from "../../flows/host/connect.ts";
import { findPlace, type Place } from "../../flows/place/place.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";

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
    const body = await describe(context, options, connection.host);
    const repository = await connection.client.createRepository({ body });
    await showOne(context, repository, repositoryLines(repository, context.host), fields.repository);
  },
};

async function describe(context: Context, options: Options, host: string): Promise<BodyOf<"createRepository">> {
  const given: Partial<WorkingCopy> = options.cloneUrl === undefined ? await fromWorkingCopy(context, host) : {};
  const cloneUrl = options.cloneUrl ?? given.cloneUrl ?? "";
  const fullName = options.fullName ?? nameOf(cloneUrl);
  return {
    name: basename(fullName),
    full_name: fullName,
    clone_url: cloneUrl,
    platform: platformOf(options),
    enabled: !options.disabled,
    ...defined("default_branch", options.defaultBranch ?? given.defaultBranch),
    ...defined("code_provider_id", options.provider),
    ...defined("external_id", options.externalId),
  };
}

function platformOf({ platform, provider }: Options): (typeof platforms)[number] {
  const wanted = platform ?? (provider === undefined ? "git" : "gitlab");
  const known = platforms.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new FerryError("usage", `--platform ${wanted}: there is no such platform`, { hint: platforms.join(" or ") });
}

interface WorkingCopy {
  readonly cloneUrl: string;
  readonly defaultBranch?: string;
}

/** The embedded service takes the folder itself; another one needs an address that it can reach. */
async function fromWorkingCopy(context: Context, host: string): Promise<WorkingCopy> {
  const place = await findPlace(context);
  if (host === local) return { cloneUrl: place.repository.commonDir, ...defined("defaultBranch", place.branch) };
  const remotes = await listRemotes(context.git, place.folder);
  const remote = remotes.find(({ name }) => name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
  if (remote === undefined)
    throw new FerryError("usage", "which remote is it?", { details: remotes.map(({ name }) => name), hint: "give --clone-url" });
  return { cloneUrl: withoutPassword(remote.url), ...defined("defaultBranch", await remoteHead(context, place, remote.name)) };
}

/** `refs/remotes/<name>/HEAD`, where a clone has it. */
async function remoteHead({ git }: Context, place: Place, remote: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(["symbolic-ref", "--quiet", `refs/remotes/${remote}/HEAD`], { cwd: place.folder });
  return code === 0 ? stdout.toString("utf8").trim().slice(`refs/remotes/${remote}/`.length) : undefined;
}

/** What the user's git knows is none of the service's business. */
function withoutPassword(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/iu, "$1");
}

function nameOf(cloneUrl: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(\/.*)$/iu.exec(cloneUrl)?.[1] ?? /^[^/:]+:(.*)$/u.exec(cloneUrl)?.[1] ?? cloneUrl;
  const parts = path
    .replace(/\/(\.git)?$/u, "")
    .replace(/\.git$/u, "")
    .split("/")
    .filter(Boolean);
  return path === cloneUrl ? `local/${parts.at(-1) ?? ""}` : parts.join("/");
}

function defined<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: T });
}
