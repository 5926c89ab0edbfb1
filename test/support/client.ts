import { randomBytes } from "node:crypto";
import { makeClient, type Client } from "../../src/client/client.ts";
import { forgetfulMemory } from "../../src/client/memory.ts";
import type { ClientOptions } from "../../src/client/options.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Send } from "../../src/host/host.ts";

/** A client over a transport, with the real clock; `change` replaces what a test is about. */
export function makeTestClient(send: Send, change: Partial<ClientOptions> = {}): Client {
  return makeClient({
    send,
    baseUrl: "http://localhost",
    key: { value: "key-of-a-test", source: "the test" },
    clock: systemClock,
    random: (size) => randomBytes(size),
    memory: forgetfulMemory(),
    userAgent: "ferry/0.0.0",
    ...change,
  });
}
