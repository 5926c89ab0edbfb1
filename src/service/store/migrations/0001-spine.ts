import type { Migration } from "./migration.ts";

/** Workspace, users, keys, providers, repositories, sessions and their timelines. */
export const spine: Migration = {
  name: "spine",
  statements: [
    `create table workspaces (id text primary key, name text not null)`,
    `create table users (id text primary key, name text not null, email text not null)`,
    `create table api_keys (
      id text primary key, name text not null, user_id text not null references users (id), hash text not null unique,
      scopes text not null, expires_at text, revoked_at text, created_at text not null)`,
    `create table code_providers (
      id text primary key, workspace_id text not null references workspaces (id), user_id text not null references users (id),
      platform text not null, name text not null, base_url text not null, sealed_token text not null, token_hint text not null,
      created_at text not null, updated_at text not null)`,
    `create table repositories (
      id text primary key, workspace_id text not null references workspaces (id), code_provider_id text not null,
      name text not null, full_name text not null, clone_url text not null, default_branch text not null,
      platform text not null, external_id text not null, enabled integer not null, webhooks_registered integer not null,
      webhook_secret text, analysis_status text not null, analysis_error text, last_analyzed_at text,
      created_at text not null, updated_at text not null)`,
    // One place is one repository: of two registrations at the same time, one finds the other's.
    `create unique index repositories_by_place on repositories (clone_url) where platform = 'git'`,
    // No reference to repositories: a session's commits outlive the registration of its repository.
    `create table sessions (
      id text primary key, title text not null, workspace_id text not null references workspaces (id),
      user_id text not null references users (id), branch_name text not null, auto_commit integer not null,
      status text not null, origin text not null, created_at text not null, updated_at text not null, sandbox_id text,
      model text not null, agent_status text not null, merged_at text, deep_work_id text, repository_id text,
      base_branch text, base_commit text, head_commit text, revision integer not null, lease_owner text,
      lease_until bigint not null)`,
    `create index sessions_by_age on sessions (created_at, id)`,
    `create index sessions_by_status on sessions (status, repository_id)`,
    `create table events (
      session_id text not null references sessions (id), seq integer not null, revision integer not null,
      id text not null unique, type text not null, payload text not null, status text not null, client_id text not null,
      created_at text not null, updated_at text not null, primary key (session_id, seq))`,
    `create unique index events_by_revision on events (session_id, revision)`,
    `create index events_by_status on events (session_id, status)`,
    // A message that its sender repeats is stored once.
    `create unique index messages_by_client on events (session_id, client_id)
      where type = 'user_message' and client_id <> ''`,
  ],
};
