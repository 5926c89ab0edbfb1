import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { FerryError } from "../base/errors.ts";
import type { Environment, SecretStore, SecretStores } from "./host.ts";
import { callKeychain, type KeychainAnswer, type KeychainCall } from "./keychain-call.ts";

export interface KeychainHost {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Where `keychain-child.js` lies. */
  readonly dist: string;
}

/** The operating system's keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. */
export function makeKeychains(host: KeychainHost): SecretStores {
  return {
    keychain(patience = 3000) {
      const call = host.platform === "linux" ? callInChild(host, patience) : callKeychain;
      return storeOver(async (request) => resultOf(await call(request)));
    },
  };
}

/** keytar's five calls, each as one message. */
function storeOver(call: (request: KeychainCall) => Promise<unknown>): SecretStore {
  return {
    getPassword: async (service, account) => (await call({ name: "getPassword", service, account })) as string | null,
    async setPassword(service, account, password) {
      await call({ name: "setPassword", service, account, password });
    },
    deletePassword: async (service, account) => (await call({ name: "deletePassword", service, account })) as boolean,
    findPassword: async (service) => (await call({ name: "findPassword", service })) as string | null,
    findCredentials: async (service) =>
      (await call({ name: "findCredentials", service })) as { account: string; password: string }[],
  };
}

/**
 * A bus that never answers blocks the thread that asks, and `process.exit()` with it: only a signal ends such a call. So it
 * is made in a child; the secret travels over pipes, never in an argument.
 */
function callInChild({ env, dist }: KeychainHost, patience: number) {
  return async (request: KeychainCall): Promise<KeychainAnswer> => {
    if (!hasBus(env)) return { error: "unavailable", message: "there is no D-Bus session" };
    const child = spawn(process.execPath, [join(dist, "keychain-child.js")], {
      env,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: patience,
      killSignal: "SIGKILL",
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(request));
    const answer = await text(child.stdout);
    if (answer !== "") return JSON.parse(answer) as KeychainAnswer;
    return child.killed
      ? { error: "timeout", message: `the keychain did not answer within ${patience / 1000} seconds` }
      : { error: "unavailable", message: "the keychain could not be asked" };
  };
}

/** Where D-Bus listens (dbus-daemon(1), systemd's user bus); without either, asking would start a bus of our own. */
function hasBus(env: Environment): boolean {
  if ((env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "") return true;
  const runtime = env["XDG_RUNTIME_DIR"] ?? "";
  return runtime !== "" && existsSync(join(runtime, "bus"));
}

function resultOf(answer: KeychainAnswer): unknown {
  if ("value" in answer) return answer.value;
  throw new FerryError("auth", messages[answer.error] + (answer.error === "locked" ? "" : `: ${answer.message}`), {
    code: answer.error,
    hint: hints[answer.error],
  });
}

const messages = {
  unavailable: "no keychain",
  locked: "the keychain is locked",
  timeout: "the keychain did not answer",
} as const;

const hints = {
  unavailable: "set FERRY_CREDENTIAL_STORE=file to keep keys in a file of your own, or set FERRY_API_KEY",
  locked: "unlock it (log in to the desktop, or run: gnome-keyring-daemon --unlock) and try again, or set FERRY_API_KEY",
  timeout: "it may be waiting for you to unlock it on the desktop; or set FERRY_API_KEY",
} as const;
