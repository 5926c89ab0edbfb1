import { FerryError } from "../../../base/errors.ts";
import { bounds, type KeptFile } from "../../agent/sign-in/store.ts";
import type { ExecOptions, Sandbox } from "../../sandbox/driver.ts";

/** Bytes of an archive at most. Agents keep their sessions in some hundred kB; what is more is not worth a copy after each turn. */
const most = 32 * 1024 * 1024;

/** How long it may take to look at a few small files, in ms: an agent may have put a pipe in the place of one. */
const patience = 15_000;

/** What the agent has in its HOME changes while it is read, which tar tells by exit status 1. Caches can be made again. */
const pack = `
cd "$1" || exit 2
tar -czf - --exclude=./.cache --exclude=./.npm --exclude=node_modules . || [ $? = 1 ]
`;

const unpack = `tar -xzf - -C "$1"`;

/**
 * The HOME of a sandbox as an archive, made inside. To the host it is bytes that it never opens.
 * @throws FerryError failure where it is too large, or there is no tar
 */
export async function packHome(sandbox: Sandbox): Promise<Uint8Array> {
  return run(sandbox, pack, { limit: most });
}

/** Puts an archive back into the HOME of another sandbox. @throws FerryError failure where it is damaged */
export async function unpackHome(sandbox: Sandbox, archive: Uint8Array): Promise<void> {
  await run(sandbox, unpack, { input: archive });
}

/**
 * `path time content` in base64 but for the time, which is "always" for a file that is the same inside afterwards, whatever is there. Of
 * others what is newer inside stays. Each is whole for who reads it meanwhile.
 */
const fill = `
set -e
cd "$1"
umask 077
while read -r path time content; do
  path=$(printf %s "$path" | base64 -d)
  if [ "$time" != always ] && [ -e "$path" ] && [ "$(stat -c %Y "$path")" -ge "$time" ]; then continue; fi
  mkdir -p "$(dirname "$path")"
  printf %s "$content" | base64 -d > "$path.ferry"
  if [ "$time" != always ]; then touch -d "@$time" "$path.ferry"; fi
  mv -f "$path.ferry" "$path"
done
`;

/** Puts an agent's own sign-in into its HOME. @throws FerryError failure where it can't be written */
export async function fillHome(sandbox: Sandbox, files: readonly (KeptFile & { readonly always: boolean })[]): Promise<void> {
  const lines = files.map(({ path, bytes, modified, always }) =>
    [base64(path), always ? "always" : modified, base64(bytes)].join(" "),
  );
  await run(sandbox, fill, { input: lines.map((line) => `${line}\n`).join(""), timeout: patience });
}

/** Of each path on its input that is a file: the path, and as much of its content as a sign-in may have. */
const readOut = `
cd "$1" || exit 2
while read -r path; do
  name=$(printf %s "$path" | base64 -d)
  [ ! -f "$name" ] || echo "$path $(head -c "$2" "$name" | base64 -w 0)"
done
`;

/** What files of its HOME say, by their paths; one that is too large for a sign-in is left out. @throws FerryError failure where it can't be read */
export async function readHome(sandbox: Sandbox, paths: readonly string[]): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const options = { input: paths.map((path) => `${base64(path)}\n`).join(""), limit: most, timeout: patience };
  const said = Buffer.from(await run(sandbox, readOut, options, String(bounds.file + 1))).toString("latin1");
  const files = said.split("\n").flatMap((line): [string, Buffer][] => {
    const [path = "", content = ""] = line.split(" ");
    return path === "" ? [] : [[Buffer.from(path, "base64").toString(), Buffer.from(content, "base64")]];
  });
  return new Map(files.filter(([, { length }]) => length <= bounds.file).map(([path, content]) => [path, content.toString()]));
}

function base64(data: string | Uint8Array): string {
  return (typeof data === "string" ? Buffer.from(data) : Buffer.from(data)).toString("base64");
}

async function run(sandbox: Sandbox, script: string, options: ExecOptions, ...args: readonly string[]): Promise<Uint8Array> {
  const { code, stdout } = await sandbox.exec(["sh", "-c", script, "home", sandbox.home, ...args], options);
  if (code !== 0) throw new FerryError("failure", `the agent's HOME: it ended with exit status ${code ?? "unknown"}`);
  return stdout;
}
