import { FerryError } from "../../../base/errors.ts";
import type { KeptFile } from "../../agent/sign-in/store.ts";
import type { ExecOptions, Sandbox } from "../../sandbox/driver.ts";

/** Bytes of an archive at most. Agents keep their sessions in some hundred kB; what is more is not worth a copy after each turn. */
const most = 32 * 1024 * 1024;

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
 * `path time content` in base64 but for the time. What is newer inside stays: an agent renews its sign-in, and a later process of the
 * session goes on with that.
 */
const fill = `
set -e
cd "$1"
umask 077
while read -r path time content; do
  path=$(printf %s "$path" | base64 -d)
  [ ! -e "$path" ] || [ "$(stat -c %Y "$path")" -lt "$time" ] || continue
  mkdir -p "$(dirname "$path")"
  printf %s "$content" | base64 -d > "$path"
  touch -d "@$time" "$path"
done
`;

/** Puts an agent's own sign-in into its HOME. @throws FerryError failure where it can't be written */
export async function fillHome(sandbox: Sandbox, files: readonly KeptFile[]): Promise<void> {
  const lines = files.map(({ path, bytes, modified }) =>
    [Buffer.from(path).toString("base64"), modified, Buffer.from(bytes).toString("base64")].join(" "),
  );
  await run(sandbox, fill, { input: lines.map((line) => `${line}\n`).join("") });
}

async function run(sandbox: Sandbox, script: string, options: ExecOptions): Promise<Uint8Array> {
  const { code, stdout } = await sandbox.exec(["sh", "-c", script, "home", sandbox.home], options);
  if (code !== 0) throw new FerryError("failure", `the agent's HOME: it ended with exit status ${code ?? "unknown"}`);
  return stdout;
}
