/** Where the string of a JSON text that goes on at `from` has its closing quote; the end of the text where it has none. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let run = end;
    while (run > from && text.charAt(run - 1) === "\\") run--;
    if ((end - run) % 2 === 0) return end;
  }
  return text.length;
}
