import type { Migration } from "./migration.ts";

/** What a session's model calls took, as JSON. */
export const usage: Migration = {
  name: "usage",
  statements: [`alter table sessions add column usage text`],
};
