import type { Verb } from "../../verb.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { set } from "./set.ts";
import { unset } from "./unset.ts";

export const verbs: readonly Verb[] = [list, get, set, unset];
