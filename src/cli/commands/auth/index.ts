import type { Verb } from "../../verb.ts";
import { status } from "./status.ts";
import { change } from "./switch.ts";
import { token } from "./token.ts";

export const verbs: readonly Verb[] = [status, token, change];
