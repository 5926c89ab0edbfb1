import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import type { Session } from "../../src/wire/resources.ts";
import { makeBinary } from "../support/binary.ts";

/** What is started, and how many times as long as a bare Node it may take. */
const cases: readonly { name: string; args: readonly string[]; aim: number }[] = [
  { name: "ferry --version", args: ["--version"], aim: 1.3 },
  { name: "ferry --help", args: ["--help"], aim: 1.5 },
  { name: "ferry session list", args: ["session", "list"], aim: 2.3 },
];
const rounds = 25;

/** The runner of the benches starts them in the checkout's folder. */
const ferry = join(process.cwd(), "bin/ferry.js");
const service = await startService();
const binary = makeBinary(ferry);
const env = { ...binary.env, FERRY_HOST: service.address, FERRY_API_KEY: "bench" };

try {
  const bare: number[] = [];
  const times = cases.map((): number[] => []);
  // In turn, so that what else the machine does falls on all of them.
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await time(["-e", "0"]));
    for (const [index, { args }] of cases.entries()) times[index]?.push(await time([ferry, ...args]));
  }
  const [load = 0] = loadavg();
  if (load > availableParallelism())
    console.log(`  (load ${load.toFixed(1)}: a busy machine makes the ratios larger than they are)`);
  report("node -e 0", median(bare));
  for (const [index, { name, aim }] of cases.entries()) report(name, median(times[index] ?? []), { bare: median(bare), aim });
} finally {
  await binary.dispose();
  service.close();
}

/** Milliseconds from start to exit of a Node with these arguments. */
async function time(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("exit", resolve));
  if (code !== 0) throw new Error(`node ${args.join(" ")} exited with ${String(code)}`);
  return performance.now() - started;
}

function report(name: string, milliseconds: number, against?: { bare: number; aim: number }): void {
  const ratio = against === undefined ? "" : `${(milliseconds / against.bare).toFixed(2)}×  (aim ${against.aim}×)`;
  console.log(`  ${name.padEnd(20)} ${milliseconds.toFixed(0).padStart(5)} ms  ${ratio}`);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A service with twenty sessions and nothing else. */
async function startService(): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const found = request.url?.startsWith("/api/v1/sessions") === true;
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify(found ? { items: Array.from({ length: 20 }, makeSession), next_cursor: null } : { error: "not found" }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

function makeSession(_: unknown, index: number): Session {
  const at = new Date(Date.UTC(2026, 0, 1, index)).toISOString();
  return {
    id: `ses_${String(index).padStart(16, "0")}`,
    title: `Session ${index}`,
    workspace_id: "wsp_1",
    user_id: "usr_1",
    branch_name: `ferry/${index}`,
    auto_commit: true,
    status: "active",
    origin: "api",
    created_at: at,
    updated_at: at,
    model: "shell",
    agent_status: "idle",
  };
}
