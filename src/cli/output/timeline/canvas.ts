import type { Output } from "../../../host/host.ts";
import { makeStyle, type Style } from "../style.ts";

/** What a timeline is drawn on. */
export interface Canvas {
  readonly style: Style;
  readonly glyphs: Glyphs;
  /** Whether nothing but ASCII can be shown. */
  readonly ascii: boolean;
  /** Columns of the terminal; undefined where there is none: then nothing is wrapped, cut or folded to fit. */
  readonly columns: number | undefined;
  /** The command that answers the agent of this timeline; plain `ferry say` without it. */
  readonly say?: string | undefined;
}

export type Glyphs = Readonly<Record<GlyphName, string>>;
export type GlyphName =
  | "you"
  | "agent"
  | "note"
  | "done"
  | "failed"
  | "ended"
  | "look"
  | "edit"
  | "add"
  | "remove"
  | "move"
  | "search"
  | "plan"
  | "ask"
  | "git"
  | "web"
  | "run"
  | "alert"
  | "other"
  | "todo"
  | "now"
  | "bullet"
  | "minus"
  | "bar";

const unicode: Glyphs = {
  you: "›",
  agent: "●",
  note: "·",
  done: "✓",
  failed: "✗",
  ended: "■",
  look: "▸",
  edit: "±",
  add: "+",
  remove: "−",
  move: "→",
  search: "▸",
  plan: "≡",
  ask: "?",
  git: "⎇",
  web: "↗",
  run: "$",
  alert: "!",
  other: "·",
  todo: "○",
  now: "◐",
  bullet: "•",
  minus: "−",
  bar: "│",
};

const ascii: Glyphs = {
  you: ">",
  agent: "*",
  note: ".",
  done: "v",
  failed: "x",
  ended: "#",
  look: "-",
  edit: "~",
  add: "+",
  remove: "-",
  move: ">",
  search: "-",
  plan: "=",
  ask: "?",
  git: "&",
  web: "@",
  run: "$",
  alert: "!",
  other: ".",
  todo: " ",
  now: ">",
  bullet: "-",
  minus: "-",
  bar: "|",
};

/** The canvas that an output is now; its width may be another later. */
export function makeCanvas(output: Output, hasUnicode: boolean, say?: string): Canvas {
  const asciiOnly = output.isTTY && !hasUnicode;
  return {
    style: makeStyle(output.color),
    glyphs: asciiOnly ? ascii : unicode,
    ascii: asciiOnly,
    columns: output.isTTY ? Math.max(20, output.columns) : undefined,
    say,
  };
}
