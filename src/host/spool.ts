import { readSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError, systemReason } from "../base/errors.ts";
import type { Spool } from "./host.ts";
import { randomBytes } from "./random.ts";

/** A spool in a folder. Where a system lets an open file's name go (unlink(2)), it has none from the start; else it goes at the end. */
export async function makeSpool(folder: string): Promise<Spool> {
  const path = join(folder, `ferry-spool-${randomBytes(12).toString("hex")}`);
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
