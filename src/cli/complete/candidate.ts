/** A word that can be completed to. */
export interface Candidate {
  readonly value: string;
  /** A few words on one line; "" where the value says it all. */
  readonly description: string;
}

/** As the scripts of the shells read them. */
export function inLines(candidates: readonly Candidate[]): string {
  return candidates.map(({ value, description }) => `${value}\t${description}\n`).join("");
}
