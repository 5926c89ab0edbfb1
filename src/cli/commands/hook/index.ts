import type { Verb } from "../../verb.ts";
import { install } from "./install.ts";
import { run } from "./run.ts";
import { status } from "./status.ts";
import { uninstall } from "./uninstall.ts";

export const verbs: readonly Verb[] = [install, uninstall, status, run];
