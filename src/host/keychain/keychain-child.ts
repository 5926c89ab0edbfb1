/**
 * A program of its own: one keychain call from stdin, its answer to descriptor 3, since what NODE_OPTIONS loads into each program may
 * print on stdout. Whoever started it kills it when it hangs.
 */
import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { callKeychain, type KeychainCall } from "./call.ts";

async function answer(): Promise<void> {
  const call = JSON.parse(await text(process.stdin)) as KeychainCall;
  writeSync(3, JSON.stringify(await callKeychain(call)));
}

void answer();
