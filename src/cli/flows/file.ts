import { resolve as resolvePath } from "node:path";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Context } from "../context.ts";

/** In bytes, as of standard input: no text to say is that long, and a device has no end. */
const longest = 64 * 1024 * 1024;

/**
 * A file that the user named, as given: from the folder to work in, or absolute.
 * @throws FerryError usage, with its name, where it isn't there or can't be read
 */
export async function readNamedFile({ host, folder }: Context, file: string): Promise<Uint8Array> {
  try {
    // A pipe that nobody writes to is waited for, until the user is tired of it.
    const bytes = await orInterrupted(host.files.read(resolvePath(folder, file), longest), host.interrupt);
    if (bytes !== undefined) return bytes;
  } catch (cause) {
    host.interrupt.throwIfAborted();
    throw new FerryError("usage", asFerryError(cause).message, { cause });
  }
  throw new FerryError("usage", `there is no file ${oneLine(file)}`);
}

function orInterrupted<T>(work: Promise<T>, interrupt: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(interrupt.reason as Error);
    if (interrupt.aborted) leave();
    interrupt.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => interrupt.removeEventListener("abort", leave));
  });
}
