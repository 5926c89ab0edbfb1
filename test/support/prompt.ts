import type { Prompt } from "../../src/host/host.ts";

/** A person whose answers the test wrote down beforehand; a question that nobody expected fails the test. */
export interface FakePrompt extends Prompt {
  /** `question` is the beginning of what will be asked; a choice is answered by its name's beginning. */
  expect(question: string, answer: string | boolean): void;
  /** A question that stays on the screen until whoever asked gives up on it, also when it is asked again. */
  ignore(question: string): void;
  /** Questions that were expected and not asked. */
  readonly open: readonly string[];
}

export function makeFakePrompt(): FakePrompt {
  const expected: { question: string; answer: string | boolean | typeof unanswered }[] = [];
  let ignored: string | undefined;
  const next = (question: string): string | boolean | typeof unanswered => {
    const first = expected[0];
    if (ignored !== undefined && question.startsWith(ignored)) return unanswered;
    if (first === undefined || !question.startsWith(first.question)) throw new Error(`unexpected question: ${question}`);
    expected.shift();
    if (first.answer === unanswered) ignored = first.question;
    return first.answer;
  };
  const answer = (question: string): string | boolean => {
    const given = next(question);
    if (given === unanswered) throw new Error(`nobody waits for ever: ${question}`);
    return given;
  };
  return {
    expect: (question, given) => void expected.push({ question, answer: given }),
    ignore: (question) => void expected.push({ question, answer: unanswered }),
    get open() {
      return expected.map(({ question }) => question);
    },
    confirm: async (question) => answer(question) === true,
    async select(question, choices) {
      const wanted = String(answer(question));
      const choice = choices.find(({ name }) => name.startsWith(wanted));
      if (choice === undefined)
        throw new Error(`${question}: no choice ${wanted} among ${choices.map(({ name }) => name).join(", ")}`);
      return choice.value;
    },
    async text(question, { signal, preset = "" } = {}) {
      const given = next(question);
      return given === unanswered ? untilAborted(signal) : String(given) || preset;
    },
    hidden: async (question) => String(answer(question)),
    edit: async () => String(answer("(editor)")),
  };
}

const unanswered = Symbol("unanswered");

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal === undefined) throw new Error("a question that nobody can give up on");
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
