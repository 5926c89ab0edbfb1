/** More of one text isn't laid out for a terminal, in UTF-16 units: some 800 lines. */
const most = 64 * 1024;

/** A text as far as it is laid out for a terminal, and what to say where that isn't all of it. */
export function folded(text: string): { readonly text: string; readonly note?: string } {
  if (text.length <= most) return { text };
  const newline = text.lastIndexOf("\n", most);
  const isPair = /^[\udc00-\udfff]/.test(text.charAt(most));
  const end = newline > most / 2 ? newline : isPair ? most - 1 : most;
  if (text.slice(end).trim() === "") return { text: text.slice(0, end) };
  return { text: text.slice(0, end), note: `… ${Math.ceil((text.length - end) / 1000)} kB more: a pipe gets the whole` };
}
