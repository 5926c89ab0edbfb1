import { endOfString } from "../../base/json.ts";

const [quote, colon, space] = [0x22, 0x3a, 0x20];

/**
 * JSON without the blanks between its parts, so on one line; names, texts and numbers stay as they are written. `replace` says what
 * stands for the text of a field, both without their quotes and with their escapes.
 */
export function onOneLine(json: string, replace: (name: string, text: string) => string): string {
  let [line, from, last, isValue] = ["", 0, "", false];
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === quote) {
      const start = at + 1;
      at = endOfString(json, start);
      const text = json.slice(start, at);
      const shown = isValue ? replace(last, text) : text;
      if (shown !== text) [line, from] = [line + json.slice(from, start) + shown, at];
      [last, isValue] = [text, false];
    } else if (character === colon) isValue = true;
    else if (character <= space) [line, from] = [line + json.slice(from, at), at + 1];
    else isValue = false;
  }
  return line + json.slice(from);
}
