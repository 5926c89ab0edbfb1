import type { Prompt } from "../../src/host/host.ts";

/** A person whose answers the test wrote down beforehand; a question that nobody expected fails the test. */
export interface FakePrompt extends Prompt {
  /** `question` is the beginning of what will be asked; a choice is answered by its name's beginning. */
  expect(question: string, answer: string | boolean): void;
  /** Questions that were expected and not asked. */
  readonly open: readonly string[];
}

export function makeFakePrompt(): FakePrompt {
  const expected: { question: string; answer: string | boolean }[] = [];
  const answer = (question: string): string | boolean => {
    const next = expected[0];
    if (next === undefined || !question.startsWith(next.question)) throw new Error(`unexpected question: ${question}`);
    expected.shift();
    return next.answer;
  };
  return {
    expect: (question, given) => void expected.push({ question, answer: given }),
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
    text: async (question) => String(answer(question)),
    hidden: async (question) => String(answer(question)),
    edit: async () => String(answer("(editor)")),
  };
}
