/** One step forward; there are none back. Its place in the registry is its version, so it is never changed once released. */
export interface Migration {
  readonly name: string;
  /** SQL of the subset that every engine takes. */
  readonly statements: readonly string[];
}
