import type { Entry } from "../verb.ts";

const main = "Main job:";
const account = "Account:";
const resources = "Resources:";
const service = "Service:";

/** Every top-level command, in the order of the help. Each is loaded by itself. */
export const entries: readonly Entry[] = [];
