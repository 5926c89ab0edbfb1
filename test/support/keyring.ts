import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ownName } from "./bus-name.ts";

/** A session bus with an unlocked gnome-keyring on it, apart from the machine's own. */
export interface Keyring {
  readonly env: Readonly<Record<string, string>>;
  lock(): Promise<void>;
  /** Stops the process that keeps the secrets, or lets it go on; the bus goes on. */
  freeze(): void;
  thaw(): void;
  /** From now on a prompt of the keyring is answered by nobody. */
  promptNobody(): Promise<void>;
  stop(): Promise<void>;
}

const execute = promisify(execFile);
/** A bus that starts nothing by itself: asking for a keyring that isn't up yet would bring a second, locked one. */
const busConfig = `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>`;
const collection = "/org/freedesktop/secrets/collection/login";

/** `empty`: one that nobody has ever unlocked, and that has nothing to keep secrets in. @throws where dbus or gnome-keyring isn't installed */
export async function startKeyring(folder: string, { empty = false } = {}): Promise<Keyring> {
  const runtime = join(folder, "run");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const base = { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_RUNTIME_DIR: runtime };
  const config = join(folder, "bus.conf");
  writeFileSync(config, busConfig);
  const bus = spawn("dbus-daemon", [`--config-file=${config}`, "--nofork", "--print-address"], {
    env: base,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [address] = (await once(bus.stdout, "data")) as [Buffer];
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: address.toString("utf8").trim() };
  const daemon = spawn("gnome-keyring-daemon", ["--foreground", "--components=secrets", ...(empty ? [] : ["--unlock"])], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  daemon.stdin.end("password");
  const send = (...args: string[]) =>
    execute("dbus-send", ["--session", "--print-reply", "--dest=org.freedesktop.secrets", ...args], { env });
  await until(async () => {
    const { stdout } = await send("/org/freedesktop/secrets", "org.freedesktop.Secret.Service.ReadAlias", "string:default");
    if (!empty && !stdout.includes(collection)) throw new Error("the keyring has no collection");
  });
  let prompter: Socket | undefined;
  return {
    env,
    async lock() {
      await send("/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock", `array:objpath:${collection}`);
    },
    freeze: () => void daemon.kill("SIGSTOP"),
    thaw: () => void daemon.kill("SIGCONT"),
    async promptNobody() {
      prompter = await ownName(env.DBUS_SESSION_BUS_ADDRESS, "org.gnome.keyring.SystemPrompter");
    },
    async stop() {
      prompter?.destroy();
      await Promise.all([end(daemon), end(bus)]);
    },
  };
}

/** dbus has no "is up" to wait for: the service answers, or doesn't yet. */
async function until(attempt: () => Promise<unknown>, tries = 200): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (tries === 0) throw error;
    await until(attempt, tries - 1);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
