import { endOfString } from "../../base/json.ts";

const [quote, comma, colon, space] = [0x22, 0x2c, 0x3a, 0x20];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

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

/** The values of an object's own members as they are written, by their names as they are written; of several the last, as for JSON.parse. */
export function membersOf(object: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let [depth, name, last, start] = [0, "", "", -1];
  const end = (at: number): void => {
    if (start >= 0) members.set(name, object.slice(start, at));
    start = -1;
  };
  for (let at = 0; at < object.length; at++) {
    const character = object.charCodeAt(at);
    if (character === quote) {
      const from = at + 1;
      at = endOfString(object, from);
      if (depth === 1) last = object.slice(from, at);
    } else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) {
      if (--depth === 0) end(at);
    } else if (depth !== 1) continue;
    else if (character === comma) end(at);
    else if (character === colon) [name, start] = [last, at + 1];
  }
  return members;
}
