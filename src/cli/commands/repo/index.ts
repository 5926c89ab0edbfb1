import type { Verb } from "../../verb.ts";
import { analysis } from "./analysis/analysis.ts";
import { analyze } from "./analysis/analyze.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { edit } from "./edit.ts";
import { list } from "./list.ts";
import { view } from "./view.ts";

export const verbs: readonly Verb[] = [list, view, create, edit, remove, analyze, analysis];
