/** A word that can be completed to. */
export interface Candidate {
  readonly value: string;
  /** A few words on one line; "" where the value says it all. */
  readonly description: string;
}
