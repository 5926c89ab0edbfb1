/** Something that an agent wants to know of the user. */
export interface Question {
  readonly question: string;
  readonly options: readonly Option[];
}

export interface Option {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** Asks the user; the reply is what they wrote, undefined where the turn was stopped. */
export type Ask = (question: Question) => Promise<string | undefined>;

/** The option that a reply names: by its number, counted from 1, its id, or its name in any case. */
export function optionNamed<T extends Option>(options: readonly T[], reply: string): T | undefined {
  const text = reply.trim();
  if (/^\d{1,3}$/u.test(text) && options[Number(text) - 1] !== undefined) return options[Number(text) - 1];
  const same = (other: string): boolean => other.toLowerCase() === text.toLowerCase();
  return options.find(({ id, name }) => same(id) || same(name));
}
