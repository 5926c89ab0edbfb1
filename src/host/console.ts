import { format } from "node:util";

const methods = ["debug", "error", "info", "log", "trace", "warn"] as const;

/**
 * Has what is printed on the console told instead: nothing of ferry's own prints there, but libraries do, and some of them whatever a
 * stranger sent. Gives what undoes it.
 */
export function takeConsole(tell: (text: string) => void): () => void {
  const before = { ...console };
  for (const method of methods) console[method] = (...words: unknown[]) => tell(format(...words));
  return () => void Object.assign(console, before);
}
