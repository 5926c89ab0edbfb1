/** D-Bus specification, Message Protocol: calls, and what is answered to them. */
import { Reader, Writer } from "./bytes.ts";

export interface Method {
  readonly path: string;
  readonly name: string;
  readonly interface: string;
  readonly destination: string;
  /** What it takes, with the types. */
  readonly body?: readonly [signature: string, values: Writer];
}

/** Undefined for an error. */
export type Reply = Reader | undefined;

const methodReturn = 2;
const methodError = 3;
const fixedHeader = 16;
/** In bytes, of a whole message. */
const largest = 2 ** 27;

/** A call that starts nobody who could answer it. */
export function methodCall(serial: number, { path, name, interface: of, destination, body }: Method): Buffer {
  const noAutoStart = 2;
  const fields = new Writer();
  const field = (code: number, type: "o" | "s" | "g"): Writer =>
    fields
      .align(8)
      .raw(Buffer.from([code]))
      .signature(type);
  field(1, "o").text(path);
  field(2, "s").text(of);
  field(3, "s").text(name);
  field(6, "s").text(destination);
  if (body !== undefined) field(8, "g").signature(body[0]);
  return new Writer()
    .raw(Buffer.from([0x6c, 1, noAutoStart, 1]))
    .number(body?.[1].bytes.length ?? 0)
    .number(serial)
    .array(8, fields.bytes)
    .align(8)
    .raw(body?.[1].bytes ?? Buffer.alloc(0)).bytes;
}

/**
 * The answers among the whole messages that have come, by the serials of their calls, and what has come of the next message.
 * @throws RangeError for what is no message
 */
export function readReplies(received: Buffer): { readonly replies: [serial: number, Reply][]; readonly rest: Buffer } {
  const replies: [number, Reply][] = [];
  let rest = received;
  while (rest.length >= fixedHeader) {
    const little = rest[0] === 0x6c;
    const header = new Reader(rest, little);
    header.at = 4;
    const bodySize = header.number();
    header.at = 12;
    const fieldsSize = header.number();
    if (bodySize > largest || fieldsSize > largest) throw new RangeError("a D-Bus message is larger than there are");
    const body = (fixedHeader + fieldsSize + 7) & ~7;
    if (rest.length < body + bodySize) break;
    const [, type] = rest;
    if (type === methodReturn || type === methodError) {
      const reply = type === methodReturn ? new Reader(rest.subarray(body, body + bodySize), little) : undefined;
      replies.push([replySerial(new Reader(rest.subarray(0, body), little)), reply]);
    }
    rest = rest.subarray(body + bodySize);
  }
  return { replies, rest };
}

/** Which call it answers: the header's field 5. Those before it are of types that have a length. */
function replySerial(header: Reader): number {
  header.at = fixedHeader;
  for (;;) {
    header.align(8);
    const code = header.byte();
    const type = header.signature();
    if (code === 5) return header.number();
    if (type === "u") header.number();
    else if (type === "g") header.signature();
    else header.text();
  }
}
