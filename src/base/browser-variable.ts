/**
 * The commands that BROWSER names, in their order, each as its words: a list as PATH is one (as xdg-open(1) has it). Quotes hold words
 * together, and that is all: no shell reads it. Nothing for `none`, which means no browser.
 */
export function namedBrowsers(variable: string | undefined, platform: NodeJS.Platform): readonly string[][] {
  if (variable === undefined || variable === "none") return [];
  return variable
    .split(platform === "win32" ? ";" : ":")
    .map((command) => (command.match(/"[^"]*"|'[^']*'|\S+/gu) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/u, "$2")))
    .filter((words) => words.length > 0);
}

/** The words of a command with the address in the place of `%s`, else behind them. */
export function withAddress(words: readonly string[], url: string): string[] {
  const placed = words.map((word) => word.split("%s").join(url));
  return words.some((word) => word.includes("%s")) ? placed : [...placed, url];
}
