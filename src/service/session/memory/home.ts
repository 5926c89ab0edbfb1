import { FerryError } from "../../../base/errors.ts";
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

async function run(sandbox: Sandbox, script: string, options: ExecOptions): Promise<Uint8Array> {
  const { code, stdout } = await sandbox.exec(["sh", "-c", script, "home", sandbox.home], options);
  if (code !== 0) throw new FerryError("failure", `the agent's HOME: tar ended with exit status ${code ?? "unknown"}`);
  return stdout;
}
