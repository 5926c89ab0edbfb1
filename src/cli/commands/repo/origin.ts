import { FerryError } from "../../../base/errors.ts";
import { parseRemote, type RemoteAddress, sshAddress } from "../../../git/address.ts";
import { configuredUrls, listRemotes, type Remote } from "../../../git/remotes.ts";
import type { Context } from "../../context.ts";
import { choose } from "../../flows/choice.ts";
import type { Place } from "../../flows/place/place.ts";
import { behindAlias } from "../../flows/place/ssh.ts";

/** Where a repository is cloned from, as somebody without the user's configuration would. */
export interface Origin {
  readonly cloneUrl: string;
  /** Undefined where it lies on this machine. */
  readonly address: RemoteAddress | undefined;
  /** The remote's name in the working copy. */
  readonly remote: string;
}

/** Asking a remote what its default branch is may take this long, in ms. */
const patience = 10_000;

/**
 * What the working copy's remote says: `origin`, the only one, or the one that is chosen.
 * @throws FerryError usage where there is none, or several and nobody to choose
 */
export async function readOrigin(context: Context, place: Place): Promise<Origin> {
  const { name, url } = await chooseRemote(context, await listRemotes(context.git, place.folder));
  const applied = parseRemote(url);
  // A mirror on this machine, by insteadOf, is none to the service.
  const configured = applied === undefined ? (await configuredUrls(context.git, place.folder)).get(name) : undefined;
  const address = applied ?? parseRemote(configured ?? "");
  if (address === undefined) return { cloneUrl: url, address, remote: name };
  const behind = await behindAlias(context.host, address);
  if (behind !== address) return { cloneUrl: sshAddress(behind), address: behind, remote: name };
  return { cloneUrl: withoutPassword(applied === undefined ? (configured ?? url) : url), address, remote: name };
}

/** `refs/remotes/<name>/HEAD`, where a clone has it; else the remote is asked. Undefined where it doesn't say. */
export async function defaultBranch({ git, host }: Context, { folder }: Place, remote: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(["symbolic-ref", "--quiet", `refs/remotes/${remote}/HEAD`], { cwd: folder });
  if (code === 0) return stdout.toString("utf8").trim().slice(`refs/remotes/${remote}/`.length);
  const signal = AbortSignal.any([host.interrupt, AbortSignal.timeout(patience)]);
  try {
    const asked = await git.run(["ls-remote", "--symref", "--", remote, "HEAD"], { cwd: folder, signal });
    // git-ls-remote(1): `ref: refs/heads/main<tab>HEAD`
    return /^ref: refs\/heads\/([^\t\n]+)\tHEAD$/mu.exec(asked.stdout.toString("utf8"))?.[1];
  } catch (error) {
    if (error !== signal.reason || host.interrupt.aborted) throw error;
    return undefined;
  }
}

async function chooseRemote({ interactive, host }: Context, remotes: readonly Remote[]): Promise<Remote> {
  const chosen = remotes.find(({ name }) => name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
  if (chosen !== undefined) return chosen;
  if (remotes.length === 0)
    throw new FerryError("usage", "this working copy has no remote", { hint: "give --clone-url, or git remote add origin URL" });
  if (interactive)
    return choose(
      host,
      "Which remote is it?",
      remotes.map((remote) => ({ name: `${remote.name}  ${withoutPassword(remote.url)}`, value: remote })),
    );
  throw new FerryError("usage", "which remote is it?", { details: remotes.map(({ name }) => name), hint: "give --clone-url" });
}

/** What the user's git knows is none of the service's business. */
function withoutPassword(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/iu, "$1");
}
