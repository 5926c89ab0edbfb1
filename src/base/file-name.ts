/**
 * Any text as the name of a file, another for each text also where the file system knows no upper case. A long one becomes folders
 * and a name, since a name has its bounds (NAME_MAX).
 */
export function fileName(text: string, ending: string): string {
  const name = text.replace(/[^a-z0-9.-]/gu, (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}_`);
  return `${name.match(/.{1,200}/gu)?.join("/") ?? "_"}${ending}`;
}
