import type { Migration } from "./migration.ts";

/** Logins that run, and browsers that are signed in to the portal. */
export const login: Migration = {
  name: "login",
  statements: [
    `create table login_codes (
      hash text primary key, client_id text not null, redirect_uri text not null, challenge text not null,
      user_id text not null references users (id), scopes text not null, key_name text not null, expires_at text not null,
      key_id text)`,
    `create table login_devices (
      hash text primary key, user_code text not null unique, client_id text not null, scopes text not null,
      device_name text not null, device_system text not null, client_version text not null, state text not null,
      user_id text references users (id), interval_seconds integer not null, polled_at text, expires_at text not null)`,
    `create table portal_sign_ins (
      hash text primary key, user_id text not null references users (id), expires_at text not null)`,
    `create index api_keys_by_age on api_keys (created_at, id)`,
  ],
};
