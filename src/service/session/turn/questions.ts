import type { Question } from "../../agent/ask/question.ts";
import type { Mutex } from "../mutex.ts";
import { askUser, type Books, withdraw } from "../settle.ts";

/** What the agent of one turn asks the user: one question at a time, since the next message is the answer. */
export class Questions {
  private readonly books: Books;
  private readonly lock: Mutex;
  private readonly sessionId: string;
  private readonly closing = new AbortController();
  private readonly over: AbortSignal;
  private last: Promise<unknown> = Promise.resolve();
  private open: { readonly id: string; readonly resolve: (text: string) => void } | undefined;

  /** `signal` stops the turn. */
  constructor(books: Books, lock: Mutex, sessionId: string, signal: AbortSignal) {
    this.books = books;
    this.lock = lock;
    this.sessionId = sessionId;
    this.over = AbortSignal.any([signal, this.closing.signal]);
  }

  /** The user's reply; undefined where the turn ends before it. */
  readonly ask = (question: Question): Promise<string | undefined> => {
    const mine = this.last.then(() => this.askNow(question));
    this.last = mine.catch(() => undefined);
    return mine;
  };

  /** The user has answered the question, and that is written down. */
  answer(questionId: string, text: string): void {
    if (this.open?.id === questionId) this.open.resolve(text);
  }

  /** The turn is over: nobody waits for an answer any more. Resolves when that is written down. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.last;
  }

  private async askNow({ question, options }: Question): Promise<string | undefined> {
    if (this.over.aborted) return undefined;
    const payload = { type: "agent_ask_user" as const, question, options: options.map((option) => ({ ...option })) };
    // The answer may come as soon as the lock is free, so it is waited for before.
    const answered = await this.lock(this.sessionId, async () => {
      const asked = await askUser(this.books, this.sessionId, payload);
      if (asked === undefined) return undefined;
      const { id } = asked;
      return { id, reply: new Promise<string>((resolve) => (this.open = { id, resolve })) };
    });
    if (answered === undefined) return undefined;
    const reply = await Promise.race([answered.reply, aborted(this.over)]);
    this.open = undefined;
    if (reply === undefined) await this.lock(this.sessionId, () => withdraw(this.books, this.sessionId, answered.id));
    return reply;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
