/** Markup that is safe to send: made by `html` alone, which escapes all that isn't. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | readonly Html[];

/** A template whose values are text unless they are markup themselves; undefined is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, at) => part + render(values[at])).join(""));
}

function render(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}
