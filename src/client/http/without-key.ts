import type { SendResponse } from "../../host/host.ts";
import { withoutSecrets } from "./key.ts";
import { type Form, formsOf, without } from "./spellings.ts";

/**
 * An answer without the key that it was asked for with, which a service may say back in a name, a title or a page of its own. Bytes
 * are held back only where they may be the beginning of it, so that nobody waits longer for a line of a stream.
 */
export function withoutKey(response: SendResponse, key: string): SendResponse {
  const headers = Object.entries(response.headers).map((header) => header.map((text) => withoutSecrets(text, [key])));
  return { ...response, headers: Object.fromEntries(headers) as SendResponse["headers"], body: cut(response.body, formsOf(key)) };
}

async function* cut(body: AsyncIterable<Uint8Array>, forms: readonly Form[]): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const bytes = forms.reduce(without, held.length === 0 ? asBuffer(chunk) : Buffer.concat([held, chunk]));
    const end = Math.min(...forms.map((form) => form.startOf(bytes)), bytes.length);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
