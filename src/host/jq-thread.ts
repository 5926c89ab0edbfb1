/** A program for a thread: jq, a question at a time. Without an answer that can be given it ends the thread. */
import { parentPort } from "node:worker_threads";
import { loadJq } from "jq-wasm/inline";
import type { JqAnswer, JqQuestion } from "./host.ts";

/** What one question may bring, in bytes: all of it is gathered before any is shown. */
const mostOutput = 32 * 1024 * 1024;

const jq = loadJq();
parentPort?.on("message", (question: JqQuestion) => void answer(question));
// The build has jq-wasm tell it (test/tooling/build/jq.mjs).
Object.assign(globalThis, { jqHasGrown: (length: number) => (length >= mostOutput ? end("output") : undefined) });

async function answer({ input, expression, flags }: JqQuestion): Promise<void> {
  const loaded = await jq;
  try {
    tell(loaded.raw(input, expression, [...flags]));
  } catch (error) {
    // What it aborts with where there is no more memory for it; what is left of it isn't fit for use.
    if (!(error instanceof Error && /^R(untime|ange)Error$/u.test(error.name))) throw error;
    end("memory");
  }
}

/** Nothing that jq is made of could catch this. */
function end(lacks: "memory" | "output"): void {
  tell({ stdout: "", stderr: "", exitCode: 2, lacks });
  process.exit();
}

function tell(answered: JqAnswer): void {
  parentPort?.postMessage(answered);
}
