import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { AskJq, JqAnswer, JqQuestion } from "./host.ts";

/** How long an answer may hold up what was interrupted before it was asked for, in ms. */
const lastPatience = 1000;

/**
 * jq in a thread, which is started with the first question. An expression may have no end, and in this thread none of our handlers
 * would run before it; to take them away for so long loses the signal that comes at that moment. `dist` is where `jq-thread.js` lies.
 */
export function makeJq(dist: string): AskJq {
  let thread: Worker | undefined;
  // One question after the other: an answer doesn't say which it is to.
  let last: Promise<unknown> = Promise.resolve();
  // What it would print (how it aborted) is told in our words.
  const start = (): Worker => new Worker(join(dist, "jq-thread.js"), { env: {}, execArgv: [], stdout: true, stderr: true });
  const ask = async (question: JqQuestion, signal: AbortSignal): Promise<JqAnswer> => {
    const asked = (thread ??= start());
    try {
      const answer = await askThread(asked, question, signal);
      if (answer.lacks !== undefined) thread = undefined;
      return answer;
    } catch (error) {
      thread = undefined;
      await asked.terminate();
      throw error;
    }
  };
  return async (question, signal) => {
    const answer = last.then(() => ask(question, signal));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** @throws the signal's reason when it aborts; else what ended the thread */
async function askThread(thread: Worker, question: JqQuestion, signal: AbortSignal): Promise<JqAnswer> {
  const listeners = new AbortController();
  const heard = { once: true, signal: listeners.signal };
  let timer: NodeJS.Timeout | undefined;
  // Nothing is left to wait for without a question.
  thread.ref();
  try {
    return await new Promise<JqAnswer>((resolve, reject) => {
      const leave = (): void => reject(signal.reason as Error);
      if (signal.aborted) timer = setTimeout(leave, lastPatience);
      else signal.addEventListener("abort", leave, heard);
      thread
        .once("message", resolve)
        .once("error", reject)
        .once("exit", () => reject(new Error("jq's thread has ended")));
      thread.postMessage(question);
    });
  } finally {
    listeners.abort();
    clearTimeout(timer);
    for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
    thread.unref();
  }
}
