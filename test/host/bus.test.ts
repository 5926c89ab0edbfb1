import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askBus, busAddress } from "../../src/host/keychain/bus.ts";
import { readReplies } from "../../src/host/keychain/message.ts";

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-bus-"));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** A bus that says each of these lines in turn, whenever it was told something. */
async function bus(path: string, ...answers: readonly Buffer[]): Promise<void> {
  server = createServer((socket: Socket) => {
    let at = 0;
    socket.on("data", () => {
      for (const byte of answers[at++] ?? []) socket.write(Buffer.from([byte]));
    });
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
}

/** A message of a type that answers the call of a serial, with a body of a length. */
function message(type: number, order: "l" | "B", serial: number, body = 0): Buffer {
  const bytes = Buffer.alloc(24 + body);
  bytes.set([order.charCodeAt(0), type, 0, 1]);
  bytes.set([5, 1, "u".charCodeAt(0), 0], 16);
  for (const [at, value] of [
    [4, body],
    [12, 8],
    [20, serial],
  ] as const)
    if (order === "l") bytes.writeUInt32LE(value, at);
    else bytes.writeUInt32BE(value, at);
  return bytes;
}

/** Read as numbers of 32 bits with a sign, its sizes come to nothing: it would be read again and again. */
const impossible = Buffer.from("6c040001 10000000 01000000 e0ffffff".replaceAll(" ", ""), "hex");

const welcome = Buffer.from("OK 1234deadbeef\r\n");

// Linux alone has a session bus that ferry asks.
describe.runIf(process.platform === "linux")("whether anybody is there on a bus", () => {
  test.each<[string, readonly Buffer[], string]>([
    ["says nothing", [], "silent"],
    ["greets, and then hangs", [welcome], "silent"],
    [
      "answers, but who keeps the secrets doesn't",
      [welcome, Buffer.concat([message(2, "l", 1, 9), message(4, "l", 0)])],
      "silent",
    ],
    ["answers twice", [welcome, Buffer.concat([message(2, "l", 1, 9), message(4, "l", 0, 3), message(2, "l", 2)])], "answers"],
    [
      "answers that nobody keeps secrets, the other way round",
      [welcome, Buffer.concat([message(2, "B", 1, 9), message(3, "B", 2, 70)])],
      "answers",
    ],
    ["says sizes that no message has", [welcome, impossible], "unknown"],
    ["refuses us", [Buffer.from("REJECTED ANONYMOUS\r\n")], "answers"],
  ])("that %s", async (_, answers, state) => {
    const path = join(folder, "bus");
    await bus(path, ...answers);
    expect(await askBus(`unix:path=${path},guid=1`, 0, state === "silent" ? 100 : 10_000)).toEqual({ state });
  });

  test("its address may be escaped, of more than one kind, or abstract", async () => {
    const path = join(folder, "a bus");
    await bus(path, Buffer.from("REJECTED\r\n"));
    expect(await askBus(`tcp:host=x,port=1;unix:guid=1,path=${path.replace(" ", "%20")}`, 0, 10_000)).toEqual({
      state: "answers",
    });
    server?.close();
    await bus(`\0${path}`, Buffer.from("REJECTED\r\n"));
    expect(await askBus(`unix:abstract=${path}`, 0, 10_000)).toEqual({ state: "answers" });
  });

  test.each(["unix:path=/nonexistent/bus", "autolaunch:", "tcp:host=127.0.0.1,port=1", "nonsense"])(
    "can't be known at %s",
    async (address) => {
      expect(await askBus(address, 0, 10_000)).toEqual({ state: "unknown" });
    },
  );

  test("its address is the environment's, or the user's own socket where there is one", async () => {
    expect(busAddress({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/x", XDG_RUNTIME_DIR: folder })).toBe("unix:path=/x");
    expect(busAddress({ XDG_RUNTIME_DIR: folder })).toBeUndefined();
    expect(busAddress({})).toBeUndefined();
    await bus(join(folder, "bus"));
    expect(busAddress({ XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: "" })).toBe(`unix:path=${folder}/bus`);
  });
});

test("whatever comes is messages, the beginning of one, or none", () => {
  const piece = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(message(2, "l", 1, 9)), fc.constant(impossible));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const received = Buffer.concat(pieces);
      try {
        expect(readReplies(received).rest.length).toBeLessThanOrEqual(received.length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
    { numRuns: 2000 },
  );
});
