/** What agents put into `rawInput`, `rawOutput` and `_meta` has no schema: read field by field, anything unexpected as not there. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The first of the names that holds a text that isn't empty; "" for none. */
export function textIn(fields: Fields, ...names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** The first of the names that holds a number. */
export function numberIn(fields: Fields, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return undefined;
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? (value as unknown[]) : [];
}
