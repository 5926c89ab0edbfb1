import type { Readable, Transform } from "node:stream";
import { FerryError } from "../../base/errors.ts";

/** Node's modules for it are loaded with the first answer that is compressed. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib().createGunzip(),
  "x-gzip": () => zlib().createGunzip(),
  br: () => zlib().createBrotliDecompress(),
  // Node has it from 22.15 on.
  ...(process.versions["zstd"] !== undefined && { zstd: () => (zlib() as unknown as WithZstd).createZstdDecompress() }),
};

interface WithZstd {
  createZstdDecompress(): Transform;
}

function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

/** What `accept-encoding` asks for: all that this Node can undo. */
export const accepted = Object.keys(decoders)
  .filter((name) => name !== "x-gzip")
  .join(", ");

/** A proxy may compress what the service did already; each more is a decoder more, for a body that may be nothing. */
const mostSteps = 3;

/**
 * The body without its content encoding (RFC 9110, 8.4).
 * @throws FerryError unavailable for an encoding that we didn't ask for, or for more than three
 */
export function decoded(body: Readable, status: number, encoding = "identity"): Readable {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const steps = names.filter((name) => name !== "" && name !== "identity").reverse();
  if (status === 204 || status === 304) return body;
  if (steps.length > mostSteps) {
    body.destroy();
    throw unknownEncoding(`the answer is encoded ${steps.length} times over, which we didn't ask for`);
  }
  return steps.reduce(undo, body);
}

function undo(body: Readable, name: string): Readable {
  const decoder = decoders[name];
  if (decoder === undefined) {
    body.destroy();
    // The word is the service's, which may be anything, a key that it was sent among it.
    const known = /^(?:compress|dcb|dcz|deflate|exi|zstd)$/u.test(name);
    throw unknownEncoding(`the answer is encoded ${known ? `as ${name}` : "in a way"}, which we didn't ask for`);
  }
  // An error of either side destroys the decoder, whose reader sees it.
  return process.getBuiltinModule("node:stream").pipeline(body, decoder(), () => undefined);
}

function unknownEncoding(what: string): FerryError {
  return new FerryError("unavailable", what, { code: "unknown_encoding" });
}
