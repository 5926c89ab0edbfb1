import type { Verb } from "../../verb.ts";
import { cancel } from "./cancel.ts";
import { close } from "./close.ts";
import { edit } from "./edit.ts";
import { link } from "./link.ts";
import { list } from "./list.ts";
import { unlink } from "./unlink.ts";
import { view } from "./view.ts";

export const verbs: readonly Verb[] = [list, view, edit, cancel, close, link, unlink];
