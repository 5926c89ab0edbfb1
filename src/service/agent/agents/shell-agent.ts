// An ACP agent without a model, as a program of its own that runs inside of a sandbox: each message is a script, run in the
// workspace by `sh` or by what its own `#!` line names. For dry runs, chores on a schedule, and tests.
import * as acp from "@agentclientprotocol/sdk";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants as fileConstants, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { BoundedOutput } from "../bounded-output.ts";

const outputLimit = 64 * 1024;
/** Milliseconds between two looks at the output while the script runs. */
const outputPace = 150;
const drainPatience = 300;

const folders = new Map<string, string>();
const running = new Map<string, { readonly script: ChildProcess; canceled: boolean }>();
let calls = 0;

acp
  .agent({ name: "shell" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: "shell", version: "1" },
    authMethods: [],
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const sessionId = `shell-${folders.size}`;
    folders.set(sessionId, params.cwd);
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
    const script = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const update = (change: acp.SessionUpdate) =>
      client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update: change });
    return { stopReason: await runScript(params.sessionId, script, update) };
  })
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => {
    const turn = running.get(params.sessionId);
    if (turn === undefined) return;
    turn.canceled = true;
    endGroup(turn.script);
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));

/** @throws acp.RequestError with the reason where the script fails */
async function runScript(
  sessionId: string,
  text: string,
  update: (change: acp.SessionUpdate) => Promise<void>,
): Promise<acp.StopReason> {
  const folder = await mkdtemp(join(tmpdir(), "shell-"));
  const file = join(folder, "script");
  await writeFile(file, text.endsWith("\n") ? text : `${text}\n`, { mode: 0o700 });
  const toolCallId = `command-${calls++}`;
  await update({
    sessionUpdate: "tool_call",
    toolCallId,
    title: text.split("\n", 1)[0] ?? "",
    kind: "execute",
    status: "in_progress",
    rawInput: { command: text },
  });
  const started = performance.now();
  const output = new BoundedOutput(outputLimit);
  const pipe = await openPipe(join(folder, "output"));
  const argv = text.startsWith("#!") ? [file] : ["sh", file];
  // By way of a shell, so that a missing interpreter is told in the output. One pipe for both streams keeps their order.
  const script = spawn("sh", ["-c", 'exec "$@"', "sh", ...argv], {
    cwd: folders.get(sessionId),
    stdio: ["ignore", pipe.writer, pipe.writer],
    detached: true,
  });
  closeSync(pipe.writer);
  const turn = { script, canceled: false };
  running.set(sessionId, turn);
  pipe.reader.on("data", (chunk: Buffer) => output.push(chunk));
  let seen = 0;
  const look = setInterval(() => {
    if (output.total === seen) return;
    seen = output.total;
    void update({ sessionUpdate: "tool_call_update", toolCallId, content: shown(output), rawOutput: { cut: output.cut } });
  }, outputPace);

  const [code, signal] = (await once(script, "exit")) as [number | null, NodeJS.Signals | null];
  // What the script left running in its group would hold the pipe open, and outlive the turn.
  endGroup(script);
  await drained(pipe.reader);
  clearInterval(look);
  running.delete(sessionId);
  await rm(folder, { recursive: true, force: true });

  const failed = code !== 0;
  await update({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: failed ? "failed" : "completed",
    content: shown(output),
    rawOutput: {
      exit_code: code,
      ...(signal !== null && { signal }),
      duration_ms: Math.round(performance.now() - started),
      cut: output.cut,
    },
  });
  if (turn.canceled) return "cancelled";
  if (failed) throw new acp.RequestError(-32603, reason(code, signal));
  return "end_turn";
}

/**
 * A pipe in the file system. The pipes that Node gives a child are sockets, which a script can't open again: `echo x >/dev/stderr`
 * would fail with ENXIO.
 */
async function openPipe(path: string): Promise<{ reader: Socket; writer: number }> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]);
  // Without O_NONBLOCK opening would wait for a writer.
  const reader = openSync(path, fileConstants.O_RDONLY | fileConstants.O_NONBLOCK);
  return { reader: new Socket({ fd: reader, readable: true, writable: false }), writer: openSync(path, "w") };
}

/** All that was written has been read; a process that left the group may hold the pipe open for ever, so not for longer than that. */
async function drained(stdout: Readable): Promise<void> {
  if (stdout.closed) return;
  const patience = setTimeout(() => stdout.destroy(), drainPatience);
  await once(stdout, "close");
  clearTimeout(patience);
}

function shown(output: BoundedOutput): acp.ToolCallContent[] {
  return [{ type: "content", content: { type: "text", text: output.text() } }];
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: all of the group ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function reason(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal !== null) return `the script was ended by ${signal} (${constants.signals[signal]})`;
  return `the script ended with exit status ${code ?? "unknown"}`;
}
