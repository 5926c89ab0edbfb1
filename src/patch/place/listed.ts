/** The first of them, and how many more. */
export function listed(names: readonly string[]): string {
  return `${names[0] ?? ""}${names.length > 1 ? `, and ${names.length - 1} more` : ""}`;
}
