import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyPairKeyObjectResult } from "node:crypto";

/** One side of a Diffie-Hellman exchange in the Second Oakley Group (RFC 2409, 6.2), of 1024 bits. */
export interface Pair {
  /** Big-endian, as the other side wants it. */
  readonly publicNumber: Buffer;
  /** What both sides have then, in 128 bytes. @throws where the other's number is none of the group */
  secretWith(other: Uint8Array): Buffer;
}

/** Known to Node ("dh" with a group) and not to its types. */
const generate = generateKeyPairSync as unknown as (type: "dh", options: { readonly group: string }) => KeyPairKeyObjectResult;

/**
 * By Node's keys and not its `getDiffieHellman`, which proves each time anew that the group's number is prime: that takes as long as
 * a command for all the rest.
 */
export function makePair(): Pair {
  const { publicKey, privateKey } = generate("dh", { group: "modp2" });
  // RFC 5280, 4.1: the group, and the number as an INTEGER in a BIT STRING.
  const { content: whole } = element(publicKey.export({ type: "spki", format: "der" }));
  const { rest: bits, whole: group } = element(whole);
  const number = element(element(bits).content.subarray(unused.length)).content;
  return {
    publicNumber: withoutZeros(number),
    secretWith(other) {
      const spki = encoded(sequence, [group, encoded(bitString, [unused, encoded(integer, [positive(other)])])]);
      const secret = diffieHellman({ privateKey, publicKey: createPublicKey({ key: spki, type: "spki", format: "der" }) });
      return Buffer.concat([Buffer.alloc(size), secret]).subarray(-size);
    },
  };
}

/** In bytes. */
const size = 128;

const [integer, bitString, sequence] = [0x02, 0x03, 0x30];
/** Of a BIT STRING: how many bits of its last byte don't count. */
const unused = Buffer.of(0);

interface Element {
  readonly content: Buffer;
  /** With its head. */
  readonly whole: Buffer;
  readonly rest: Buffer;
}

/** The first element of some DER (X.690, 8.1). */
function element(der: Buffer): Element {
  const [, first = 0] = der;
  const start = first < 0x80 ? 2 : 2 + (first & 0x7f);
  const end = start + (first < 0x80 ? first : der.readUIntBE(2, first & 0x7f));
  return { content: der.subarray(start, end), whole: der.subarray(0, end), rest: der.subarray(end) };
}

function encoded(tag: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const long = content.length < 0x80 ? [] : content.length < 0x100 ? [0x81] : [0x82, content.length >> 8];
  return Buffer.concat([Buffer.of(tag, ...long, content.length & 0xff), content]);
}

/** An INTEGER whose first bit is set is a negative one. */
function positive(number: Uint8Array): Buffer {
  const short = withoutZeros(number);
  return (short[0] ?? 0x80) < 0x80 ? short : Buffer.concat([Buffer.of(0), short]);
}

function withoutZeros(number: Uint8Array): Buffer {
  const first = number.findIndex((byte) => byte !== 0);
  return Buffer.from(number.subarray(first < 0 ? number.length : first));
}
