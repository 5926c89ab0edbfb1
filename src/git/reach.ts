import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { shellWord } from "../base/words.ts";
import type { Environment } from "../host/host.ts";
import type { Git, GitResult, GitStreamOptions } from "./git.ts";
import { gitError } from "./runner.ts";
import { systemTrouble } from "./trouble.ts";

/** Transports of git's own; never `ext::`, which runs a command, nor a helper that a name could choose. */
const transports = ["file", "git", "http", "https", "ssh"];

/** A line that is slower than this for so long is dead; git-config(1), http.lowSpeedLimit. */
const dead = { "http.lowSpeedLimit": "1", "http.lowSpeedTime": "30" };

/**
 * How git is run where it talks to a remote of the user's: with their own credential helpers and ssh configuration, nobody asked
 * anything, objects checked on arrival, and no ref, tag, submodule or file of theirs written beside the objects.
 */
export async function reachOptions(
  git: Git,
  { gitDir, env }: { readonly gitDir: string; readonly env: Environment },
): Promise<GitStreamOptions> {
  const options = { cwd: gitDir, gitDir };
  const listing = await git.run(
    ["config", "--null", "--get-regexp", "^(core\\.sshcommand|ssh\\.variant|protocol\\..*)$"],
    options,
  );
  const entries = listing.stdout.toString("utf8").split("\0").filter(Boolean);
  // git takes the last.
  const told = new Map(entries.map((entry): [string, string] => [nameOf(entry), entry.slice(nameOf(entry).length + 1)]));
  const ssh = sshCommand(env, told);
  return {
    ...options,
    unattended: true,
    config: {
      ...dead,
      "credential.interactive": "false",
      "fetch.fsckObjects": "true",
      "transfer.fsckObjects": "true",
      "fetch.unpackLimit": "1",
      "fetch.recurseSubmodules": "false",
      "fetch.writeCommitGraph": "false",
      "fetch.bundleURI": "",
      "transfer.bundleURI": "false",
    },
    env: {
      // An empty one keeps core.askPass and SSH_ASKPASS, which may open a window, from being asked in its place.
      GIT_ASKPASS: env["GIT_ASKPASS"] ?? "",
      GCM_INTERACTIVE: "never",
      GIT_ALLOW_PROTOCOL: transports.filter((name) => isAllowed(name, told)).join(":"),
      ...(ssh === undefined ? {} : { GIT_SSH_COMMAND: ssh }),
    },
  };
}

function nameOf(entry: string): string {
  return entry.split("\n", 1)[0] ?? "";
}

/** What the user forbade stays so: the variable would override it. */
function isAllowed(transport: string, told: ReadonlyMap<string, string>): boolean {
  return (told.get(`protocol.${transport}.allow`) ?? told.get("protocol.allow")) !== "never";
}

/** The ssh that the user would get, told not to ask. See ssh.variant in git-config(1); undefined where a program knows no such option. */
function sshCommand(env: Environment, told: ReadonlyMap<string, string>): string | undefined {
  const program = env["GIT_SSH"];
  const command =
    env["GIT_SSH_COMMAND"] ??
    told.get("core.sshcommand") ??
    (program === undefined ? "ssh" : `'${program.replaceAll("'", "'\\''")}'`);
  const variant = env["GIT_SSH_VARIANT"] ?? told.get("ssh.variant") ?? variantOf(command);
  if (variant === "ssh") return `${command} -o BatchMode=yes`;
  return variant === "plink" || variant === "tortoiseplink" ? `${command} -batch` : env["GIT_SSH_COMMAND"];
}

/** As git guesses it, by the name of the program. */
function variantOf(command: string): string {
  const [, quoted, plain] = /^\s*(?:'([^']*)'|(\S+))/u.exec(command) ?? [];
  const name = (quoted ?? plain ?? "").split(/[\\/]/u).at(-1) ?? "";
  return name.replace(/\.exe$/iu, "").toLowerCase();
}

/**
 * A failed talk with a remote, as what a person can do something about. Git's words are those of its source under LC_ALL=C
 * (remote-curl.c, connect.c, transport.c) and of ssh.
 */
export function reachError(remote: string, args: readonly string[], result: Pick<GitResult, "code" | "stderr">): FerryError {
  // ssh ends its lines for a terminal.
  const said = withoutSecrets(result.stderr.toString("utf8").replaceAll("\r\n", "\n"));
  const trouble = systemTrouble(args, { ...result, stderr: Buffer.from(said.replaceAll(sshDenied, "")) });
  const line = reasonIn(said);
  const what = `the remote ${oneLine(remote)}`;
  if (authWords.test(said))
    return new FerryError("auth", `${what} refuses you: ${line}`, {
      code: "remote_auth",
      hint: `git fetch ${shellWord(remote)} must work without a question: see to its credential helper or ssh key`,
    });
  if (refWords.test(said))
    return new FerryError("not_found", `${what} doesn't have what is wanted: ${line}`, { code: "no_object" });
  if (checkWords.test(said)) return new FerryError("failure", `git refuses what ${what} sends: ${line}`, { code: "policy" });
  if (transportWords.test(said)) return new FerryError("failure", `${what} can't be used: ${line}`, { code: "transport" });
  if (missingWords.test(said))
    return new FerryError("not_found", `there is no repository at ${what}: ${line}`, { code: "no_remote" });
  if (trouble !== undefined) return trouble;
  if (deadWords.test(said) || result.code > 128)
    return new FerryError("unavailable", `${what} can't be reached: ${line || "it was cut off"}`, { code: "remote_unreachable" });
  const { message, code } = gitError(args, { code: result.code, stderr: Buffer.from(said) });
  return new FerryError("unavailable", message, { code });
}

const sshDenied = /Permission denied \([^)]*\)/gu;
const authWords =
  /Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied \([^)]*\)|requested URL returned error: (401|403|407)|Host key verification failed|HTTP Basic: Access denied/iu;
const checkWords =
  /fsck error|error: object [0-9a-f]+:|index-pack (failed|died)|invalid index-pack output|unresolved delta|did not send all necessary objects/iu;
const refWords = /not our ref|unadvertised object|couldn't find remote ref/iu;
const transportWords = /transport '[^']*' not allowed|Unable to find remote helper|protocol '[^']*' is not supported/iu;
const missingWords =
  /does not appear to be a git repository|repository '[^']*' (not found|does not exist)|requested URL returned error: 404/iu;
const deadWords =
  /Could not resolve|Failed to connect|Connection (refused|timed out|reset|closed)|timed out|unable to connect|unable to access|Network is unreachable|No route to host|early EOF|hung up|too slow|lookup/iu;

/** The line that tells most: git's own `fatal:` repeats that it "could not read from remote repository" after ssh has said why. */
function reasonIn(said: string): string {
  const lines = said
    .split("\n")
    .map((line) => oneLine(line))
    .filter((line) => line !== "" && !/^(hint|warning|Please make sure|and the repository exists)/iu.test(line));
  const telling = lines.filter((line) => !/Could not read from remote repository|^remote:/iu.test(line));
  const line =
    telling.findLast((each) => !/^fatal: (index-pack failed|fetch-pack: invalid)/iu.test(each)) ??
    telling.at(-1) ??
    lines.at(-1) ??
    "";
  return line.replace(/^(fatal|error): /u, "");
}

/** A remote's address may hold a password. */
function withoutSecrets(text: string): string {
  return text.replace(/(\w+:\/\/)[^/\s@']*@/gu, "$1");
}
