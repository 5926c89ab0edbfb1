import type { NewEvent, ProviderRecord } from "../../src/service/store/store.ts";
import type { Repository, Session } from "../../src/wire/resources.ts";

/** The user that all of these belong to. */
export const ada = { id: "usr_1", name: "Ada", email: "ada@example.com" };

/** A second of the first minute of 2026. */
export function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

export function repository(number: number): Repository {
  return {
    id: `rep_${number}`,
    workspace_id: "wsp_1",
    code_provider_id: "",
    name: `n${number}`,
    full_name: `o/n${number}`,
    clone_url: `/srv/${number}.git`,
    default_branch: "main",
    platform: "git",
    external_id: "",
    enabled: true,
    webhooks_registered: false,
    analysis_status: "pending",
    created_at: time(number),
    updated_at: time(number),
  };
}

export function provider(number: number): ProviderRecord {
  return {
    id: `prv_${number}`,
    workspace_id: "wsp_1",
    user_id: ada.id,
    platform: "gitlab",
    name: "n",
    base_url: "https://gitlab.example.com",
    sealed_token: "v1.x",
    token_hint: "…1234",
    created_at: time(number),
    updated_at: time(number),
  };
}

export function session(number: number): Session {
  return {
    id: `ses_${number}`,
    title: "t",
    workspace_id: "wsp_1",
    user_id: ada.id,
    branch_name: "b",
    auto_commit: false,
    status: "active",
    origin: "api",
    created_at: time(number),
    updated_at: time(number),
    model: "shell",
    agent_status: "idle",
  };
}

export function message(number: number): NewEvent {
  return { id: `evt_${number}`, payload: { type: "user_message", message: `m${number}` }, status: "queued", at: time(number) };
}
