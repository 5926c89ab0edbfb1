/**
 * What tells two versions of one event apart: 32 bits that depend on every byte (after FNV-1a, on four bytes at a time), and the
 * length. No hash for who wants to deceive: who sends the events can say what he likes anyway.
 */
export function print(bytes: DataView, start: number, end: number): number {
  let hash = 0x811c9dc5;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ bytes.getInt32(at, true), 0x01000193);
    // The multiplication alone carries nothing downwards.
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes.getUint8(at), 0x01000193);
  return ((end - start) % 0x100000) * 0x100000000 + (hash >>> 0);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The print of an event whose own bytes are not at hand. */
export function printOf(event: object): number {
  const bytes = Buffer.from(JSON.stringify(event));
  return print(viewOf(bytes), 0, bytes.length);
}
