/** Texts on their way to a pager. */
export interface Queue {
  /**
   * Resolves when the text was taken, since a reader that is slow, or that a person reads in, mustn't let all of it pile up here. False
   * where nobody reads any more.
   * @throws the interrupt's reason
   */
  push(text: string | Uint8Array): Promise<boolean>;
  end(): void;
  all(): AsyncGenerator<string | Uint8Array>;
}

/** @param interrupt ends the waiting for a pager that takes nothing */
export function makeQueue(interrupt: AbortSignal): Queue {
  let waiting: (string | Uint8Array)[] = [];
  let ended = false;
  const isOver = (): boolean => ended;
  let came = (): void => undefined;
  let taken = (): void => undefined;
  interrupt.addEventListener("abort", () => taken(), { once: true });
  return {
    async push(text) {
      if (isOver()) return false;
      waiting.push(text);
      came();
      while (waiting.length > 0 && !isOver()) {
        interrupt.throwIfAborted();
        await new Promise<void>((resolve) => (taken = resolve));
      }
      return waiting.length === 0;
    },
    end() {
      ended = true;
      came();
      taken();
    },
    async *all() {
      try {
        for (;;) {
          const texts = waiting;
          waiting = [];
          taken();
          yield* texts;
          if (waiting.length > 0) continue;
          if (ended) return;
          await new Promise<void>((resolve) => (came = resolve));
        }
      } finally {
        ended = true;
        taken();
      }
    },
  };
}
