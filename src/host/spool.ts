import { readSync } from "node:fs";
import { lstat, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError, systemReason } from "../base/errors.ts";
import type { Spool } from "./host.ts";
import { randomBytes } from "./random.ts";

const prefix = "ferry-spool-";
/** A named spool that was last written so long ago, in ms, is of a process that was killed. */
const longestUse = 24 * 60 * 60 * 1000;

/** A spool in a folder; old ones of ours that a kill left there go. Where a system lets an open file's name go (unlink(2)), it has none from the start; else it goes at the end. */
export async function makeSpool(folder: string): Promise<Spool> {
  const path = join(folder, `${prefix}${randomBytes(12).toString("hex")}`);
  const unwritable = (cause: unknown) =>
    new FerryError("failure", `can't write ${path}: ${systemReason(cause)}`, {
      hint: "TMPDIR says where temporary files lie",
      cause,
    });
  const file = await open(path, "wx+", 0o600).catch((error: unknown) => Promise.reject(unwritable(error)));
  const isGone = await rm(path).then(
    () => true,
    () => false,
  );
  await removeOld(folder);
  let size = 0;
  return {
    async append(bytes) {
      try {
        for (let written = 0; written < bytes.length;)
          written += (await file.write(bytes, written, bytes.length - written, size + written)).bytesWritten;
      } catch (error) {
        throw unwritable(error);
      }
      size += bytes.length;
    },
    async read(places) {
      // What was just written is in the system's cache: a turn of the thread pool for each place would cost ten times the read.
      return places.map(({ start, end }) => {
        const bytes = Buffer.allocUnsafe(end - start);
        for (let got = 0; got < bytes.length;) {
          const more = readSync(file.fd, bytes, got, bytes.length - got, start + got);
          if (more === 0) throw new RangeError(`the spool has ${size} bytes, and nothing at ${start + got}`);
          got += more;
        }
        return bytes;
      });
    },
    async close() {
      await file.close();
      if (!isGone) await rm(path, { force: true });
    },
  };
}

/** What can't be listed or removed is no reason not to go on: it takes room, and nothing else. */
async function removeOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() !== true || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    if (Date.now() - found.mtimeMs > longestUse) await rm(path, { force: true }).catch(() => undefined);
  }
}
