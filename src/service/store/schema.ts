import type { Kysely } from "kysely";
import type { EventStatus, EventType } from "../../wire/values.ts";
import type { AccountRecord } from "./identity/account-store.ts";
import type { CodeRecord, DeviceRecord, SignInRecord } from "./identity/login-store.ts";

/**
 * The tables, in the subset that SQLite and PostgreSQL share: ids and times as text, booleans as 0 and 1, JSON as text that
 * no query looks into.
 */
export interface Tables {
  migrations: { version: number; name: string };
  workspaces: { id: string; name: string };
  users: { id: string; name: string; email: string; removed_at?: string | null };
  accounts: AccountRecord;
  api_keys: KeyRow;
  code_providers: ProviderRow;
  repositories: RepositoryRow;
  sessions: SessionRow;
  events: EventRow;
  login_codes: WithJson<CodeRecord, "scopes">;
  login_devices: WithJson<DeviceRecord, "scopes">;
  portal_sign_ins: SignInRecord;
}

/** A record whose field is JSON text in its column. */
type WithJson<T, Name extends keyof T> = Omit<T, Name> & { readonly [N in Name]: string };

export type Database = Kysely<Tables>;

export interface KeyRow {
  id: string;
  name: string;
  user_id: string;
  hash: string;
  /** JSON. */
  scopes: string;
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface ProviderRow {
  id: string;
  workspace_id: string;
  user_id: string;
  platform: string;
  name: string;
  base_url: string;
  sealed_token: string;
  token_hint: string;
  created_at: string;
  updated_at: string;
}

export interface RepositoryRow {
  id: string;
  workspace_id: string;
  code_provider_id: string;
  name: string;
  full_name: string;
  clone_url: string;
  default_branch: string;
  platform: string;
  external_id: string;
  enabled: number;
  webhooks_registered: number;
  webhook_secret: string | null;
  analysis_status: string;
  analysis_error: string | null;
  last_analyzed_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface SessionRow {
  id: string;
  title: string;
  workspace_id: string;
  user_id: string;
  branch_name: string;
  auto_commit: number;
  status: string;
  origin: string;
  created_at: string;
  updated_at: string;
  sandbox_id: string | null;
  model: string;
  agent_status: string;
  merged_at: string | null;
  deep_work_id: string | null;
  repository_id: string | null;
  base_branch: string | null;
  base_commit: string | null;
  head_commit: string | null;
  /** JSON. */
  usage: string | null;
  /** The timeline's greatest revision. */
  revision: number;
  lease_owner: string | null;
  /** Epoch milliseconds. */
  lease_until: number;
}

export interface EventRow {
  session_id: string;
  /** The revision that the event was born with: it gives the order of the timeline. */
  seq: number;
  revision: number;
  id: string;
  type: EventType;
  /** JSON. */
  payload: string;
  status: EventStatus;
  client_id: string;
  created_at: string;
  updated_at: string;
}
