/** The fields that we know of an object that may have more: without the index signature, so that Omit and Partial work on it. */
export type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
