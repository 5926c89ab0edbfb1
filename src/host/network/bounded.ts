import type { Socket } from "node:net";
import { FerryError } from "../../base/errors.ts";

export interface Bounds {
  readonly signal: AbortSignal;
  /** All steps share one. */
  readonly limit: AbortSignal;
  readonly seconds: number;
}

interface Step extends Bounds {
  readonly late: (within: string) => Error;
  readonly failed: (error: unknown) => Error;
}

/**
 * The socket when the step with it is done. One that fails, is late or called off leaves no connection behind.
 * @throws the signal's reason where it aborts; what `late` and `failed` make of the rest, but for a FerryError
 */
export async function bounded(
  socket: Socket,
  step: Promise<void>,
  { signal, limit, seconds, late, failed }: Step,
): Promise<Socket> {
  const stop = (): void => void socket.destroy(new Error("called off"));
  for (const each of [limit, signal]) each.addEventListener("abort", stop, { once: true });
  try {
    if (limit.aborted || signal.aborted) stop();
    await step;
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    if (limit.aborted) throw late(`within ${seconds} s`);
    throw error instanceof FerryError ? error : failed(error);
  } finally {
    for (const each of [limit, signal]) each.removeEventListener("abort", stop);
  }
}

/** Resolves when the socket is connected, its TLS included where that is asked for. */
export function ready(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    // It stays: an error after this step is told by the next one, and must never be thrown at the process.
    socket.on("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    socket.once(event, () => resolve());
  });
}
