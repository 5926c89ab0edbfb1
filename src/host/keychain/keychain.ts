import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import type { Environment, SecretStore, SecretStores } from "../host.ts";
import type { BusState } from "./bus.ts";
import { callKeychain, type KeychainAnswer, type KeychainCall, type KeychainFault } from "./call.ts";

export interface KeychainHost {
  readonly env: Environment;
  readonly uid: number;
  readonly platform: NodeJS.Platform;
  /** Where `keychain-child.js` lies. */
  readonly dist: string;
}

/** How long a call may take where nobody may be at a prompt, in ms; with it no command takes over 4 s. */
const presetPatience = 3000;

/** The operating system's keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. */
export function makeKeychains(host: KeychainHost): SecretStores {
  let found: Promise<BusState | undefined> | undefined;
  return {
    keychain(patience = presetPatience) {
      return storeOver(async (request) => {
        if (host.platform !== "linux") return resultOf(await callKeychain(request));
        // Only who has answered may keep us longer: then it is a person at a prompt who is waited for.
        const short = Math.min(patience, presetPatience);
        const state = await (found ??= findBus(host, short));
        if (state === undefined) return resultOf({ error: "unavailable", message: "there is no D-Bus session" });
        if (state === "silent") return resultOf({ error: "silent", message: within(short) });
        return resultOf(await callInChild(host, request, state === "answers" ? patience : short));
      });
    },
  };
}

/** Undefined where there is none. Loaded late: most commands ask no keychain. */
async function findBus({ env, uid }: KeychainHost, patience: number): Promise<BusState | undefined> {
  const { askBus, busAddress } = await import("./bus.ts");
  const address = busAddress(env);
  return address === undefined ? undefined : askBus(address, uid, patience);
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
 * What never answers blocks the thread that asks, and `process.exit()` with it: only a signal ends such a call. So it is made in
 * a child; the secret travels over pipes, never in an argument.
 */
async function callInChild({ env, dist }: KeychainHost, request: KeychainCall, patience: number): Promise<KeychainAnswer> {
  const { spawn } = await import("node:child_process");
  const { text } = await import("node:stream/consumers");
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
    ? { error: "timeout", message: within(patience) }
    : { error: "unavailable", message: "the program that asks it ended without a word" };
}

function within(patience: number): string {
  return `within ${patience / 1000} seconds`;
}

function resultOf(answer: KeychainAnswer): unknown {
  if ("value" in answer) return answer.value;
  const { code = answer.error, says, hint } = faults[answer.error];
  throw new FerryError("auth", says(answer.message), { code, hint });
}

const faults: Record<KeychainFault, { code?: string; says: (message: string) => string; hint: string }> = {
  unavailable: {
    says: (message) => `no keychain: ${message}`,
    hint: "set FERRY_CREDENTIAL_STORE=file to keep keys in a file of your own, or set FERRY_API_KEY",
  },
  locked: {
    says: () => "the keychain is locked",
    hint: "unlock it (log in to the desktop, or run: gnome-keyring-daemon --unlock) and try again, or set FERRY_API_KEY",
  },
  timeout: {
    says: (message) => `the keychain did not answer ${message}`,
    hint: "it may be waiting for you to unlock it on the desktop; or set FERRY_API_KEY",
  },
  silent: {
    code: "timeout",
    says: (message) => `the keychain did not answer ${message}: the D-Bus session, or who keeps secrets on it, hangs`,
    hint: "log out of the desktop and in again, or set FERRY_CREDENTIAL_STORE=file and log in, or set FERRY_API_KEY",
  },
};
