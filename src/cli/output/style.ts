export type Paint = (text: string) => string;

/** What text can look like; each is a plain function of it, the identity where no colour is wanted. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly cyan: Paint;
}

/** Colours by SGR codes (ECMA-48, 8.3.117): the terminal's own palette, so that they fit its background. */
export function makeStyle(color: boolean): Style {
  const sgr = (on: number, off: number): Paint => {
    const [start, end] = [`\u001b[${on}m`, `\u001b[${off}m`];
    // What is inside may end with the same code: it goes on after it.
    return color ? (text) => (text === "" ? "" : `${start}${text.replaceAll(end, `${end}${start}`)}${end}`) : (text) => text;
  };
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    italic: sgr(3, 23),
    strike: sgr(9, 29),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    blue: sgr(34, 39),
    cyan: sgr(36, 39),
  };
}
