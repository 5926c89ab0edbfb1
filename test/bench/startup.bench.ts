import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { makeBinary } from "../support/binary.ts";
import { isInstalled } from "../support/installed.ts";
import { startKeyring } from "../support/keyring.ts";
import { startListingService } from "./listing-service.ts";

/** What is started, and how many times as long as a bare Node it may take. */
interface Start {
  readonly name: string;
  readonly args: readonly string[];
  /** Without it, the time is only told. */
  readonly aim?: number;
  /** Another program than ferry. */
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Measured to the first byte of its output, which is what its reader waits for; else to its end. */
  readonly toFirstByte?: true;
}

const rounds = 25;
/** The runner of the benches starts them in the checkout's folder. */
const ferry = join(process.cwd(), "bin/ferry.js");
const service = await startListingService();
const binary = makeBinary(ferry);
const closers: (() => void | Promise<void>)[] = [() => service.close(), () => binary.dispose()];

try {
  await measure([
    { name: "ferry --version", args: ["--version"], aim: 1.3 },
    { name: "ferry --help", args: ["--help"], aim: 1.3 },
    { name: "ferry complete", args: ["complete", "--", "session", "list", "--"], aim: 1.3 },
    { name: "ferry config list", args: ["config", "list"], aim: 1.6 },
    { ...listing("key from environment", 2.3), env: { FERRY_HOST: service.address, FERRY_API_KEY: "bench" } },
    { ...listing("key from a file", 2.3), env: await logIn("file", {}) },
    ...(await keychainStarts()),
    {
      name: "beside it: prettier --version",
      script: join(process.cwd(), "node_modules/prettier/bin/prettier.cjs"),
      args: ["--version"],
    },
  ]);
} finally {
  for (const close of closers.toReversed()) await close();
}

function listing(key: string, aim: number): Start {
  return { name: `ferry session list, ${key}`, args: ["session", "list"], aim, toFirstByte: true };
}

async function keychainStarts(): Promise<Start[]> {
  if (!["dbus-daemon", "dbus-send", "gnome-keyring-daemon"].every(isInstalled)) return [];
  const keyring = await startKeyring(join(binary.folder, "home"));
  closers.push(() => keyring.stop());
  return [{ ...listing("from the keychain", 3.2), env: await logIn("keychain", keyring.env) }];
}

/** Stores a key for the service, in a config folder of its own, and gives the environment in which it is found. */
async function logIn(store: string, surroundings: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const config = join(binary.folder, `config-${store}`);
  mkdirSync(config, { mode: 0o700 });
  const env = { ...surroundings, FERRY_CONFIG_DIR: config, FERRY_CREDENTIAL_STORE: store, FERRY_HOST: service.address };
  const { code, stderr } = await binary.run(["login", "--with-token"], { env, input: "bench" });
  if (code !== 0) throw new Error(`ferry login: ${stderr}`);
  return env;
}

async function measure(starts: readonly Start[]): Promise<void> {
  const [load = 0] = loadavg();
  if (load > availableParallelism())
    console.log(`  (load ${load.toFixed(1)}: a busy machine makes the ratios larger than they are)`);
  const bare: number[] = [];
  const times = starts.map((): number[] => []);
  // In turn, so that what else the machine does falls on all of them.
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await time(["-e", "0"]));
    for (const [index, { script = ferry, args, ...how }] of starts.entries())
      times[index]?.push(await time([script, ...args], how));
  }
  report("node -e 0", median(bare));
  for (const [index, { name, aim }] of starts.entries()) report(name, median(times[index] ?? []), { bare: median(bare), aim });
}

/**
 * Milliseconds from start to exit, or to the first byte, of a Node with these arguments. What it notes goes to a file, as in a shell's
 * script: what Node calls a pipe is a socket, which no shell makes.
 */
async function time(args: readonly string[], { env, toFirstByte }: Pick<Start, "env" | "toFirstByte"> = {}): Promise<number> {
  let end = Number.NaN;
  const notes = join(binary.folder, "notes");
  const stderr = openSync(notes, "w");
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...binary.env, ...env },
    stdio: ["ignore", toFirstByte ? "pipe" : "ignore", stderr],
  });
  child.stdout?.once("data", () => (end = performance.now())).resume();
  if (!toFirstByte) child.once("exit", () => (end = performance.now()));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  closeSync(stderr);
  if (code !== 0) throw new Error(`node ${args.join(" ")} exited with ${String(code)}: ${readFileSync(notes, "utf8")}`);
  return end - started;
}

function report(name: string, milliseconds: number, against?: { bare: number; aim: number | undefined }): void {
  const aim = against?.aim === undefined ? "" : `  (aim ${against.aim}×)`;
  const ratio = against === undefined ? "" : `${(milliseconds / against.bare).toFixed(2)}×${aim}`;
  console.log(`  ${name.padEnd(40)} ${milliseconds.toFixed(0).padStart(5)} ms  ${ratio}`);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
