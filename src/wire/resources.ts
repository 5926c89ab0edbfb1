import { z } from "zod";
import type { Known } from "./known.ts";
import { agentStatuses, analysisStatuses, capabilities, origins, platforms, scopes, sessionStatuses } from "./values.ts";

const text = z.string();
const texts = z.array(z.string());
const time = z.iso.datetime();
const filled = z.string().min(1);

export const provider = z.looseObject({
  id: text,
  workspace_id: text,
  user_id: text,
  platform: z.enum(platforms),
  name: text,
  base_url: text,
  metadata: z.looseObject({ type: z.literal("gitlab_personal_access_token"), token: text }),
  created_at: time,
  updated_at: time,
});

const providerMetadata = z.strictObject({ type: z.literal("gitlab_personal_access_token"), token: filled });

export const createProvider = z.strictObject({
  platform: z.literal("gitlab"),
  name: filled,
  base_url: z.url({ protocol: /^https?$/ }),
  metadata: providerMetadata,
});

export const updateProvider = z.strictObject({
  name: filled.optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  metadata: providerMetadata.optional(),
});

export const repository = z.looseObject({
  id: text,
  workspace_id: text,
  code_provider_id: text,
  name: text,
  full_name: text,
  clone_url: text,
  default_branch: text,
  platform: z.enum(platforms),
  external_id: text,
  enabled: z.boolean(),
  webhooks_registered: z.boolean(),
  webhook_secret: text.optional(),
  analysis_status: z.enum(analysisStatuses),
  analysis_error: text.optional(),
  last_analyzed_at: time.optional(),
  created_at: time,
  updated_at: time,
});

export const createRepository = z.strictObject({
  code_provider_id: text.default(""),
  name: filled,
  full_name: filled,
  clone_url: filled,
  default_branch: text.default(""),
  platform: z.enum(platforms),
  external_id: text.default(""),
  enabled: z.boolean().default(true),
});

export const updateRepository = z.strictObject({ enabled: z.boolean() });

export const started = z.looseObject({ success: z.boolean(), message: text });

export const analysis = z.looseObject({
  metadata: z.looseObject({
    id: text,
    created_at: time,
    updated_at: time,
    repository_id: text,
    workspace_id: text,
    analyzed_commit_sha: text,
    primary_languages: texts,
    languages: texts,
    primary_frameworks: texts,
    frameworks: texts,
    primary_libraries: texts,
    libraries: texts,
    primary_databases: texts,
    databases: texts,
  }),
  components: z.array(
    z.looseObject({
      id: text,
      created_at: time,
      updated_at: time,
      repository_id: text,
      workspace_id: text,
      path: text,
      summary: text,
      primary_language: text,
      languages: texts,
      primary_framework: text,
      frameworks: texts,
      primary_library: text,
      libraries: texts,
      primary_database: text,
      databases: texts,
      primary_folders: texts,
      primary_files: texts,
      analyzed_commit_sha: text,
    }),
  ),
});

export const session = z.looseObject({
  id: text,
  title: text,
  workspace_id: text,
  user_id: text,
  branch_name: text,
  auto_commit: z.boolean(),
  status: z.enum(sessionStatuses),
  origin: z.enum(origins),
  created_at: time,
  updated_at: time,
  sandbox_id: text.optional(),
  model: text,
  agent_status: z.enum(agentStatuses),
  merged_at: time.optional(),
  deep_work_id: text.optional(),
  // The extension's: which repository, and between which commits its work lies ("" for an unborn base).
  repository_id: text.optional(),
  base_branch: text.optional(),
  base_commit: text.optional(),
  head_commit: text.optional(),
  // And what its model calls took so far: counted on their way, but for the cost, which some agents tell and others don't.
  usage: z
    .looseObject({
      model_calls: z.number().int(),
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number().optional(),
    })
    .optional(),
});

/** A branch name as `git check-ref-format` takes it is checked by git itself; here only that it is no option and no ref of its own. */
const branchName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?!-|refs\/|\/)[^\s~^:?*[\\\p{Cc}]+$/u, "is no branch name");

/** In full, or "" for an unborn base: nothing that git could take for an option or a name. */
export const commitId = z.union([z.literal(""), z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "is no full commit id")]);

export const createSession = z.strictObject({
  branch_name: branchName.optional(),
  auto_commit: z.boolean().default(false),
  model: text.optional(),
  repository_id: filled.optional(),
  base_branch: text.optional(),
  base_commit: commitId.optional(),
  title: text.max(200).optional(),
  message: filled.optional(),
});

export const updateSession = z.strictObject({
  branch_name: branchName.optional(),
  auto_commit: z.boolean().optional(),
  model: text.optional(),
});

export const sendMessage = z.strictObject({
  message: filled,
  client_id: text.max(200).default(""),
});

export const cancelSession = z.strictObject({ queued: z.boolean().default(false) });
export const closeSession = z.strictObject({ outcome: z.enum(["finished", "closed"]) });

/** `GET /api/v1/cli`: who the key is, and which parts of the extension there are. */
export const cliInfo = z.looseObject({
  service: z.looseObject({ name: text, version: text }),
  portal_url: text,
  workspace: z.looseObject({ id: text, name: text }),
  user: z.looseObject({ id: text, name: text, email: text }),
  key: z.looseObject({ id: text, scopes: z.array(z.enum(scopes)), expires_at: time.nullable() }),
  capabilities: z.array(z.enum(capabilities)),
});

/** Everything about a key but the key itself. */
export const apiKey = z.looseObject({
  id: text,
  name: text,
  user_id: text,
  /** Ours. */
  user_name: text.optional(),
  scopes: z.array(z.enum(scopes)),
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  created_at: time,
});

export const createdKey = apiKey.extend({ secret: text });

export const createKey = z.strictObject({
  name: filled.max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  /** Without it, the key lives as long as the one that makes it. */
  expires_at: time.optional(),
});

export type ApiKey = Known<z.infer<typeof apiKey>>;
export type Provider = Known<z.infer<typeof provider>>;
export type Repository = Known<z.infer<typeof repository>>;
export type Session = Known<z.infer<typeof session>>;
export type CliInfo = Known<z.infer<typeof cliInfo>>;
