/** What a question begins with: its mark, and a blank. */
const marked = 2;
/** What is drawn behind it: `(y/N)`, or the first letters of an answer. */
const behind = 8;

/** A question broken between its words where it is longer than a line of the terminal: what draws it breaks inside of them. */
export function folded(question: string, columns = process.stderr.columns || 80): string {
  const lines = [""];
  let room = columns - behind - marked;
  for (const word of question.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(word);
      room = columns - behind;
    } else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}
