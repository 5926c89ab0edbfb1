import type { SendResponse } from "../../host/host.ts";
import { withoutSecrets } from "./key.ts";

/**
 * An answer without the key that it was asked for with, which a service may say back in a name, a title or a page of its own. Bytes
 * are held back only where they may be the beginning of it, so that nobody waits longer for a line of a stream.
 */
export function withoutKey(response: SendResponse, key: string): SendResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, withoutSecrets(value, [key])]);
  return { ...response, headers: Object.fromEntries(headers) as SendResponse["headers"], body: cut(response.body, formsOf(key)) };
}

/** The key as texts have it, in JSON (RFC 8259, 7: some escape the slash, too) and in addresses. What is that short is no secret. */
function formsOf(key: string): Buffer[] {
  if (key.length <= 4) return [];
  const inJson = JSON.stringify(key).slice(1, -1);
  return [...new Set([key, inJson, inJson.replaceAll("/", "\\/"), encodeURIComponent(key)])].map((form) => Buffer.from(form));
}

const standIn = Buffer.from("<redacted>");

async function* cut(body: AsyncIterable<Uint8Array>, forms: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const bytes = forms.reduce(without, held.length === 0 ? asBuffer(chunk) : Buffer.concat([held, chunk]));
    const end = Math.min(...forms.map((form) => startOf(form, bytes)), bytes.length);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function without(bytes: Buffer, form: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, from)) {
    kept.push(bytes.subarray(from, at), standIn);
    from = at + form.length;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}

/** Where the bytes end with what may be the beginning of it; their end where they don't. */
function startOf(form: Buffer, bytes: Buffer): number {
  const [first = 0] = form;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - form.length + 1));
  while (at !== -1 && !form.subarray(0, bytes.length - at).equals(bytes.subarray(at))) at = bytes.indexOf(first, at + 1);
  return at === -1 ? bytes.length : at;
}
