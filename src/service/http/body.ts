import { Problem } from "../problem.ts";

/** Bytes of a request's body at most. */
const maxBody = 1024 * 1024;

/**
 * The JSON that a request carries; `{}` where it carries nothing, so that an operation without required fields needs no body.
 * @throws Problem 413, 415, or 400 `malformed_json`
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new Problem(415, "unsupported_media_type", "the body must not be compressed");
  const type = request.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== "application/json")
    throw new Problem(415, "unsupported_media_type", "the body must be of content type application/json");
  return parse(bytes);
}

/** The whole body. @throws Problem 413 */
export async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBody) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The web's stream is typed without its chunks.
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBody) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): Problem {
  return new Problem(413, "too_large", "the body is larger than 1 MiB");
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), refuseNul);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, "malformed_json", "the body is not JSON in UTF-8");
  }
}

/** The stores' text columns end at a NUL (SQLite) or refuse it (PostgreSQL). */
function refuseNul(name: string, value: unknown): unknown {
  if (typeof value === "string" && value.includes("\0"))
    throw new Problem(400, "invalid_request", `${name}: must not hold the character NUL`);
  return value;
}
