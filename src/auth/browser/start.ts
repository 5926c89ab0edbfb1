import type { LoopbackAnswer, LoopbackRequest } from "../../host/host.ts";
import { pages } from "./pages.ts";
import type { Refuse } from "./refuse.ts";

/**
 * What is opened in the place of the authorization address. That one holds the login's state, and a command line (of the browser, of
 * what starts it) can be read by every user of the machine: with the state they could end the login, or bring a code of their own
 * to it. This address on loopback leads there, and is worth nothing to others: on Linux it is known whose process asks, and another
 * user's is refused; where that isn't known it leads there once, so that who comes first in the place of the browser is noticed.
 * A file that only we can read would say as little, but browsers in a sandbox of their own (snap, flatpak) can't read it either.
 */
export interface StartPage {
  readonly path: string;
  /** Where it leads, once that is known. */
  lead(url: string): void;
  answer(request: LoopbackRequest): Promise<LoopbackAnswer>;
}

export function makeStartPage(random: (size: number) => Uint8Array, refuse: Refuse): StartPage {
  let target: string | undefined;
  let isSpent = false;
  return {
    path: `/start/${Buffer.from(random(16)).toString("base64url")}`,
    lead: (url) => (target = url),
    async answer({ method, peer }) {
      if (peer === "other") return refuse(another);
      if (method !== "GET" || target === undefined || peer === "gone") return pages.refused;
      if (peer === "unknown" && isSpent) return refuse(twice);
      isSpent = true;
      return {
        status: 303,
        headers: { location: target, "cache-control": "no-store", "referrer-policy": "no-referrer" },
        body: "",
      };
    },
  };
}

const another = "another user of this computer asked for this login's address, and was refused";
const twice =
  "this login's address was opened twice, and only the first got it: if that wasn't you, end this with Ctrl-C, and take ferry login --no-browser";
