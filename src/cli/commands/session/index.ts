import type { Verb } from "../../verb.ts";
import { cancel } from "./cancel.ts";
import { close } from "./close.ts";
import { edit } from "./edit.ts";
import { link } from "./link.ts";
import { list } from "./list.ts";
import { open } from "./open.ts";
import { start } from "./start.ts";
import { unlink } from "./unlink.ts";
import { view } from "./view.ts";
import { wait } from "./wait.ts";

export const verbs: readonly Verb[] = [list, view, start, edit, open, wait, cancel, close, link, unlink];
