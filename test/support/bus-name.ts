import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Owns a name on a D-Bus session, and answers nothing that is sent to it, until the socket is destroyed.
 * `address` is a `unix:path=`.
 */
export async function ownName(address: string, name: string): Promise<Socket> {
  const socket = connect(/unix:path=([^,;]*)/u.exec(address)?.[1] ?? "");
  await once(socket, "connect");
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString("hex")}\r\n`);
  await once(socket, "data");
  socket.write("BEGIN\r\n");
  socket.write(call("Hello", 1));
  socket.write(call("RequestName", 2, name));
  let said = "";
  while (!said.includes("NameAcquired") || !said.includes(name)) said += String((await once(socket, "data"))[0]);
  socket.resume();
  return socket;
}

/** A call to the bus itself, with nothing or a name and no flags as its body. */
function call(member: string, serial: number, name?: string): Buffer {
  const body = name === undefined ? Buffer.alloc(0) : align(4, text(name), 4);
  const field = (code: number, type: string, value: string): Buffer =>
    Buffer.concat([Buffer.from([code, 1]), Buffer.from(`${type}\0`), text(value)]);
  const fields = Buffer.concat([
    ...(name === undefined ? [] : [Buffer.from([8, 1, 0x67, 0, 2, 0x73, 0x75, 0])]),
    align(8, field(1, "o", "/org/freedesktop/DBus")),
    align(8, field(2, "s", "org.freedesktop.DBus")),
    align(8, field(3, "s", member)),
    field(6, "s", "org.freedesktop.DBus"),
  ]);
  return Buffer.concat([Buffer.from([0x6c, 1, 0, 1]), u32(body.length), u32(serial), u32(fields.length), align(8, fields), body]);
}

function text(value: string): Buffer {
  return Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(`${value}\0`)]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function align(size: number, bytes: Buffer, more = 0): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(((size - (bytes.length % size)) % size) + more)]);
}
