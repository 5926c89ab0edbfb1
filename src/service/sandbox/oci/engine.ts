import { asFerryError, FerryError } from "../../../base/errors.ts";
import { splitWords } from "../../../base/words.ts";
import { systemPath } from "../environment.ts";
import type { SandboxHost } from "../host.ts";
import { runCommand } from "../processes/run.ts";

/** podman or docker, as the user calls it here. */
export interface Engine {
  readonly kind: "podman" | "docker";
  /** The command line up to the subcommand. */
  readonly words: readonly string[];
  /** The environment in which its client runs. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  /** Whether containers are made by an ordinary user, as which root inside is then seen outside. */
  readonly rootless: boolean;
}

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the client may need to find its server, its settings and its user's folders: nothing else of our environment reaches it. */
const passed =
  /^(PATH|HOME|USER|XDG_.*|TMPDIR|DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS.*|API_VERSION)|CONTAINERS?_.*|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA|ProgramData|TEMP|TMP)$/u;

/**
 * The engine that `FERRY_SANDBOX_ENGINE` names, a command line such as `podman --runtime runc`; else podman, else docker.
 * @throws FerryError failure where none answers, with what each says and the remedy
 */
export async function findEngine(host: SandboxHost): Promise<Engine> {
  const named = splitWords(host.env["FERRY_SANDBOX_ENGINE"] ?? "");
  const complaints: string[] = [];
  for (const words of named.length > 0 ? [named] : [["podman"], ["docker"]]) {
    try {
      return await ask(words, host);
    } catch (error) {
      complaints.push(asFerryError(error).message);
    }
  }
  const remedy = complaints.map(remedyFor).find((known) => known !== undefined);
  throw new FerryError("failure", complaints.join("; "), {
    hint: remedy ?? "install podman, or start docker: `apt install podman`",
  });
}

/** What helps against what an engine that is there complains of; undefined where that isn't known. */
export function remedyFor(complaint: string): string | undefined {
  if (/\bnew[ug]idmap\b/u.test(complaint)) return "install uidmap: `apt install uidmap`, or your system's package with newuidmap";
  if (/\/etc\/sub[ug]id\b/u.test(complaint))
    return "as root: `usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`, with numbers that nobody has there";
  if (/crun|cgroup/iu.test(complaint))
    return "where runc is installed: `ferry config set sandbox_engine 'podman --runtime runc'`";
  return undefined;
}

/** Runs one of the engine's subcommands to its end. @throws FerryError failure where there is no such program */
export async function callEngine(
  { words, env }: Pick<Engine, "words" | "env">,
  args: readonly string[],
  input?: Uint8Array,
): Promise<Said> {
  return runCommand({ argv: [...words, ...args], env, cwd: "/" }, input);
}

/** The same where it must work. @throws FerryError failure with its last line */
export async function engineSays(
  engine: Pick<Engine, "words" | "env">,
  args: readonly string[],
  input?: Uint8Array,
): Promise<string> {
  const { code, stdout, stderr } = await callEngine(engine, args, input);
  if (code === 0) return stdout.trim();
  throw new FerryError("failure", `${engine.words[0] ?? ""} ${args[0] ?? ""}: ${lastLine(stderr).replace(/^Error: /u, "")}`);
}

/** Both answer `info` in a language of templates, each with names of its own, so that only one of the two understands the question. */
async function ask(words: readonly string[], host: SandboxHost): Promise<Engine> {
  const asked = { words, env: environmentFor(host) };
  const podman = await callEngine(asked, ["info", "--format", "{{.Version.Version}} {{.Host.Security.Rootless}}"]);
  if (podman.code === 0) {
    const [version = "", rootless] = podman.stdout.trim().split(" ");
    return { ...asked, kind: "podman", version: `podman ${version}`, rootless: rootless === "true" };
  }
  const docker = await engineSays(asked, ["info", "--format", "{{.ServerVersion}} {{json .SecurityOptions}}"]);
  return {
    ...asked,
    kind: "docker",
    version: `docker ${docker.split(" ")[0] ?? ""}`,
    rootless: docker.includes("name=rootless"),
  };
}

/** The environment of the engine's client. */
export function environmentFor(host: SandboxHost): Record<string, string> {
  const env: Record<string, string> = { PATH: systemPath, LC_ALL: "C" };
  for (const [name, value] of Object.entries(host.env)) if (value !== undefined && passed.test(name)) env[name] = value;
  return env;
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
