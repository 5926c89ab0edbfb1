import { FerryError } from "../../../base/errors.ts";
import type { ExecOptions, ExecResult } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import type { Room } from "./rooms.ts";

const mebibyte = 1024 * 1024;

/**
 * Runs a room to its end: its input goes in, its stdout is kept up to `limit` bytes (64 MiB), for at most `timeout` ms (10 minutes).
 * @throws FerryError failure where it says or takes too much; the signal's reason where that aborts. The room is ended then.
 */
export async function collect(room: Room, options: ExecOptions, host: SandboxHost): Promise<ExecResult> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const timeout = options.timeout ?? 600_000;
  const limit = options.limit ?? 64 * mebibyte;
  const done = new AbortController();
  host.clock.sleep(timeout, done.signal).then(
    () => {
      over.abort(new FerryError("failure", `a command in the sandbox took longer than ${Math.round(timeout / 1000)} s`));
    },
    () => undefined,
  );
  const chunks: Buffer[] = [];
  let size = 0;
  room.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else over.abort(new FerryError("failure", `a command in the sandbox wrote more than ${limit} bytes`));
  });
  const read = new Promise<void>((resolve) => {
    room.stdout.once("end", resolve);
  });
  room.stdin.end(options.input);
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
    if (signal.aborted) resolve();
  });
  await Promise.race([Promise.all([room.closed, read]), aborted]);
  done.abort();
  if (signal.aborted) await room.end();
  signal.throwIfAborted();
  const { code } = await room.exit;
  return { code, stdout: Buffer.concat(chunks), stderr: room.stderrTail() };
}
