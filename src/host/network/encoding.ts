import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { FerryError } from "../../base/errors.ts";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Node has it from 22.15 on.
  ...("createZstdDecompress" in zlib ? { zstd: zlib.createZstdDecompress as () => Transform } : {}),
};

/** What `accept-encoding` asks for: all that this Node can undo. */
export const accepted = Object.keys(decoders)
  .filter((name) => name !== "x-gzip")
  .join(", ");

/**
 * The body without its content encoding (RFC 9110, 8.4).
 * @throws FerryError unavailable for an encoding that we didn't ask for
 */
export function decoded(body: Readable, status: number, encoding = "identity"): Readable {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const steps = names.filter((name) => name !== "" && name !== "identity").reverse();
  if (status === 204 || status === 304) return body;
  return steps.reduce(undo, body);
}

function undo(body: Readable, name: string): Readable {
  const decoder = decoders[name];
  if (decoder === undefined) {
    body.destroy();
    throw new FerryError("unavailable", `the answer is encoded as "${name.slice(0, 20)}", which we didn't ask for`);
  }
  // An error of either side destroys the decoder, whose reader sees it.
  return pipeline(body, decoder(), () => undefined);
}
