import { spine } from "./0001-spine.ts";
import { login } from "./0002-login.ts";
import { accounts } from "./0003-accounts.ts";
import { usage } from "./0004-usage.ts";
import type { Migration } from "./migration.ts";

/** Every migration in order; the first is version 1. Only ever appended to. */
export const migrations: readonly Migration[] = [spine, login, accounts, usage];
