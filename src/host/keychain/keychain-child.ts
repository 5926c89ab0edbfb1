/** A program of its own: one keychain call from stdin, its answer to stdout. Whoever started it kills it when it hangs. */
import { text } from "node:stream/consumers";
import { callKeychain, type KeychainCall } from "./call.ts";

async function answer(): Promise<void> {
  const call = JSON.parse(await text(process.stdin)) as KeychainCall;
  process.stdout.write(JSON.stringify(await callKeychain(call)));
}

void answer();
