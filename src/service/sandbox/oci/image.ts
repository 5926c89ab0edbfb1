import { FerryError } from "../../../base/errors.ts";
import type { SandboxHost } from "../host.ts";
import { callEngine, type Engine, engineSays } from "./engine.ts";

/** What a container's root is made of. */
export interface Image {
  readonly name: string;
  /** Whether this machine's programs (/usr and its kin) are shown in it, read-only. */
  readonly showsSystem: boolean;
  /** Variables that the image sets: an agent's environment is a list, so that they are taken back. */
  readonly sets: readonly string[];
  /** Where its programs are. */
  readonly path: string;
}

/** An image with nothing in it, made here and never fetched: mount points for what is shown of this machine. */
const empty = "localhost/ferry-empty:1";
/** What an archive of no files ends with (tar(5)). */
const emptyArchive = new Uint8Array(10_240);
const path = "/usr/local/bin:/usr/bin:/bin";

/** Where this machine has none of Linux's programs to show. It has git, Node and compilers. */
const elsewhere = "docker.io/library/node:20-bookworm";

/**
 * The image that `FERRY_SANDBOX_IMAGE` names; else, on Linux, an empty one in which this machine's programs are shown, and on others
 * `node:20-bookworm`. One that is named must be there already: nothing is ever fetched without the user's word.
 * @throws FerryError failure where it isn't there, with the command that fetches it
 */
export async function findImage(engine: Engine, host: SandboxHost): Promise<Image> {
  const named = host.env["FERRY_SANDBOX_IMAGE"] ?? "";
  if (named === "" && host.platform === "linux") {
    if (!(await isThere(engine, empty))) await engineSays(engine, ["import", "-", empty], emptyArchive);
    return { name: empty, showsSystem: true, sets: [], path };
  }
  const name = named === "" ? elsewhere : named;
  // It becomes a word of a command line.
  if (!/^[\w][\w.:/@-]*$/u.test(name)) throw new FerryError("usage", `"${name}" is no name of an image`);
  if (!(await isThere(engine, name)))
    throw new FerryError("failure", `the image ${name} isn't here`, { hint: `\`${engine.words.join(" ")} pull ${name}\`` });
  const said: unknown = JSON.parse(await engineSays(engine, ["image", "inspect", "--format", "{{json .Config.Env}}", name]));
  const variables = Array.isArray(said) ? said.map(String) : [];
  const own = variables.find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length) ?? path;
  return { name, showsSystem: false, sets: variables.map((variable) => variable.split("=", 1)[0] ?? ""), path: own };
}

async function isThere(engine: Engine, name: string): Promise<boolean> {
  return (await callEngine(engine, ["image", "inspect", name])).code === 0;
}
