import type { Migration } from "./migration.ts";

/** Users who sign in with a password; who was removed keeps a row, since sessions and keys name it. */
export const accounts: Migration = {
  name: "accounts",
  statements: [
    `alter table users add column removed_at text`,
    `create table accounts (
      user_id text primary key references users (id), name text not null unique, password text not null, created_at text not null)`,
    `create index api_keys_by_user on api_keys (user_id)`,
  ],
};
