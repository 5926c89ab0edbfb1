import type { Known } from "../wire/known.ts";

/**
 * A resource as another implementation may send it: every field but the id may be missing or null, enumerations may have words
 * that we don't know. Further fields are kept in the value; they are no part of the type.
 */
export type Tolerant<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : T extends object
      ? Identity<T> & { readonly [K in Exclude<keyof Known<T>, "id">]?: Tolerant<Known<T>[K]> | null }
      : T;

/** What can't be told apart from others is of no use: the client refuses a resource without an id. */
type Identity<T> = T extends { id: string } ? { readonly id: string } : unknown;
