type Stored = string | number | null;

/** Which columns of a table hold a boolean; they are 0 and 1 there. */
export type Booleans = readonly string[];

/** A record as columns: booleans as 0 and 1, absent fields as null. */
export function toRow(record: object): Record<string, Stored> {
  return Object.fromEntries(Object.entries(record).map(([name, value]: [string, unknown]) => [name, toColumn(value)]));
}

/** A row as a record: a null column is an absent field. */
export function fromRow(row: object, booleans: Booleans = []): Record<string, unknown> {
  const present = Object.entries(row).filter(([, value]: [string, unknown]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]: [string, unknown]) => [name, booleans.includes(name) ? value === 1 : value]),
  );
}

function toColumn(value: unknown): Stored {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" || typeof value === "number") return value;
  if (value === undefined || value === null) return null;
  throw new TypeError(`a ${typeof value} can't be a column`);
}
