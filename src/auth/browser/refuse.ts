import type { LoopbackAnswer } from "../../host/host.ts";
import { pages } from "./pages.ts";

/** Refuses a request, and says why on the terminal, where somebody may be meddling. */
export type Refuse = (what: string) => Promise<LoopbackAnswer>;

/** `tell` takes what is odd about who asked, in words for the terminal; each is told once in a login. */
export function makeRefuse(tell: (what: string) => Promise<void>): Refuse {
  const told = new Set<string>();
  return async (what) => {
    const isNew = !told.has(what);
    told.add(what);
    if (isNew) await tell(what);
    return pages.refused;
  };
}
