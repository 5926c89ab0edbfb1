import type { Verb } from "../../verb.ts";
import { agents } from "./agents.ts";
import { logs } from "./logs.ts";
import { reset } from "./reset.ts";
import { start } from "./start.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";

export const verbs: readonly Verb[] = [start, stop, status, logs, reset, agents];
