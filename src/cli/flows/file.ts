import { resolve } from "node:path";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Context } from "../context.ts";

/**
 * A file that the user named, as given: from the folder to work in, or absolute.
 * @throws FerryError usage, with its name, where it isn't there or can't be read
 */
export async function readNamedFile({ host, folder }: Context, file: string): Promise<Uint8Array> {
  try {
    const bytes = await host.files.read(resolve(folder, file));
    if (bytes !== undefined) return bytes;
  } catch (cause) {
    throw new FerryError("usage", asFerryError(cause).message, { cause });
  }
  throw new FerryError("usage", `there is no file ${oneLine(file)}`);
}
