import type { Verb } from "../../verb.ts";
import { list } from "./list.ts";
import { send } from "./send.ts";

export const verbs: readonly Verb[] = [send, list];
