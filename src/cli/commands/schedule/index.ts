import type { Verb } from "../../verb.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { edit } from "./edit.ts";
import { list } from "./list.ts";
import { run } from "./run.ts";
import { runs } from "./runs.ts";
import { view } from "./view.ts";

export const verbs: readonly Verb[] = [list, view, create, edit, remove, run, runs];
