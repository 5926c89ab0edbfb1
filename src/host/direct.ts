import { constants, fstatSync, openSync, statSync, writeSync } from "node:fs";

/** Writes at once what is taken without waiting. Gives how many bytes that was; throws what write(2) fails with. */
export type Direct = (bytes: Uint8Array) => number;

/**
 * The way to an output that needs no stream of Node's: to make one takes a tenth of a short command's time. Files and /dev/null take
 * all at once, as by Node's stream. A pipe takes what fits: it is opened a second time for this, since who reads it may do nothing,
 * and a write that waits can't be interrupted (open(2): O_NONBLOCK is of one opening, and not of the others). Undefined for what
 * needs the stream: a terminal, a socket, and a pipe elsewhere than on Linux.
 */
export function openDirect(fd: number): Direct | undefined {
  const to = findWay(fd);
  if (to === undefined) return undefined;
  return (bytes) => {
    let taken = 0;
    try {
      while (taken < bytes.length) taken += writeSync(to, bytes, taken);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
    return taken;
  };
}

function findWay(fd: number): number | undefined {
  try {
    const status = fstatSync(fd);
    if (status.isFile() || isNull(fd)) return fd;
    // Elsewhere a stranger may have made a file of this name.
    if (!status.isFIFO() || process.platform !== "linux") return undefined;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Without a reader, or of another user's: the stream tells what there is to tell.
    return undefined;
  }
}

/** Whether there may be a terminal; where there is none, Node's stream needn't be asked. */
export function mayBeTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && !isNull(fd);
  } catch {
    return true;
  }
}

/** Where a shell closed it (`>&-`) Node has opened /dev/null in its place, so that no file of ours comes to be there. */
export function isNull(fd: number): boolean {
  try {
    const output = fstatSync(fd);
    return output.isCharacterDevice() && output.rdev === statSync("/dev/null").rdev;
  } catch {
    // No such device, as on Windows.
    return false;
  }
}
