import type { Verb } from "../../verb.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";
import { revoke } from "./revoke.ts";

export const verbs: readonly Verb[] = [list, create, revoke];
