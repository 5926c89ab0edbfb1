/**
 * The medium that the client likes best of those offered (RFC 9110, 12.5.1): by quality, then in the order it named them;
 * the first one offered where it named none of them.
 */
export function preferredMedium<T extends string>(accept: string | null, offered: readonly [T, ...T[]]): T {
  const ranges = (accept ?? "*/*").split(",").map(parseRange);
  const ranked = offered
    .map((medium) => ({ medium, range: ranges.filter(({ pattern }) => matches(pattern, medium)).sort(bySpecificity)[0] }))
    .flatMap(({ medium, range }) => (range === undefined || range.quality === 0 ? [] : [{ medium, ...range }]))
    .sort((a, b) => b.quality - a.quality || ranges.findIndex(same(a)) - ranges.findIndex(same(b)));
  return ranked[0]?.medium ?? offered[0];
}

interface Range {
  readonly pattern: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [pattern = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find((q) => q !== undefined);
  return { pattern, quality: quality === undefined ? 1 : Number(quality) };
}

function matches(pattern: string, medium: string): boolean {
  return pattern === "*/*" || pattern === medium || (pattern.endsWith("/*") && medium.startsWith(pattern.slice(0, -1)));
}

function bySpecificity(a: Range, b: Range): number {
  return Number(a.pattern.includes("*")) - Number(b.pattern.includes("*")) || b.pattern.length - a.pattern.length;
}

function same({ pattern }: Range): (range: Range) => boolean {
  return (range) => range.pattern === pattern;
}
