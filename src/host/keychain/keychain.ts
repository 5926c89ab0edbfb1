import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Environment, SecretStore, SecretStores } from "../host.ts";
import type { BusAnswer } from "./bus.ts";
import { callKeychain, type KeychainAnswer, type KeychainCall } from "./call.ts";
import { keychainFault } from "./fault.ts";
import type { SecretName } from "./secret.ts";

export interface KeychainHost {
  readonly env: Environment;
  readonly uid: number;
  readonly platform: NodeJS.Platform;
  /** Where `keychain-child.js` lies. */
  readonly dist: string;
}

/** How long a call may take where nobody may be at a prompt, in ms; with it no command takes over 4 s. */
const presetPatience = 3000;

/** Of that, what a call has at least, however late the bus has answered. */
const leastPatience = 500;

/** The operating system's keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. */
export function makeKeychains(host: KeychainHost): SecretStores {
  let known: Promise<BusAnswer["state"] | undefined> | undefined;
  /**
   * Whether anybody is there is asked once. The one call that most commands make is answered along with it where that can be: a child
   * takes longer to start than such a command takes for all the rest.
   */
  const ask = async (patience: number, request: KeychainCall): Promise<BusAnswer | undefined> => {
    const state = await known;
    const wanted = request.name === "getPassword" ? request : undefined;
    if (state !== undefined && (wanted === undefined || state === "silent")) return { state };
    const asked = findBus(host, patience, wanted);
    known = asked.then((answer) => answer?.state);
    return asked;
  };
  return {
    keychain(patience = presetPatience) {
      const resultOf = (answer: KeychainAnswer): unknown => resultFor(answer, host.platform);
      return storeOver(async (request) => {
        if (host.platform !== "linux") return resultOf(await callKeychain(request));
        // Only who has answered may keep us longer: then it is a person at a prompt who is waited for.
        const short = Math.min(patience, presetPatience);
        const started = performance.now();
        const asked = await ask(short, request);
        if (asked?.secret !== undefined) return asked.secret;
        // Both ask under one bound: what the first took is the second's no more.
        const spent = Math.min(Math.round(performance.now() - started), short - leastPatience);
        if (asked === undefined) return resultOf({ error: "unavailable", message: "there is no D-Bus session" });
        if (asked.state === "silent") return resultOf({ error: "silent", message: within(short) });
        const whole = asked.state === "answers" ? patience : short;
        const answer = await callInChild(host, request, whole - spent);
        return resultOf(answer ?? { error: "timeout", message: within(whole) });
      });
    },
  };
}

/** Undefined where there is none. Loaded late: most commands ask no keychain. */
async function findBus({ env, uid }: KeychainHost, patience: number, wanted?: SecretName): Promise<BusAnswer | undefined> {
  const { askBus, busAddress } = await import("./bus.ts");
  const address = busAddress(env);
  return address === undefined ? undefined : askBus(address, uid, patience, wanted);
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
 * a child; the secret travels over pipes, never in an argument. Gives undefined where it had to be killed.
 */
async function callInChild(
  { env, dist }: KeychainHost,
  request: KeychainCall,
  patience: number,
): Promise<KeychainAnswer | undefined> {
  const { spawn } = await import("node:child_process");
  const { text } = await import("node:stream/consumers");
  const child = spawn(process.execPath, [join(dist, "keychain-child.js")], {
    env,
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    timeout: patience,
    killSignal: "SIGKILL",
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(JSON.stringify(request));
  const answer = await text(child.stdio[3] as Readable);
  if (answer !== "") return JSON.parse(answer) as KeychainAnswer;
  return child.killed ? undefined : { error: "unavailable", message: "the program that asks it ended without a word" };
}

function within(patience: number): string {
  return `within ${patience / 1000} seconds`;
}

function resultFor(answer: KeychainAnswer, platform: NodeJS.Platform): unknown {
  if ("value" in answer) return answer.value;
  throw keychainFault(answer, platform);
}
