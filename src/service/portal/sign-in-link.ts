import { timingSafeEqual } from "node:crypto";
import type { Host } from "../../host/host.ts";
import { mintSecret } from "../keys/secret.ts";

/** The link that signs a browser in once. Whoever can read where it is kept can read the service's own key as well. */
export interface SignInLink {
  /** Whether the code is the current one, which is replaced then. */
  take(code: string): Promise<boolean>;
}

/** `keep` stores each new code where its user finds it, and nobody else. */
export async function makeSignInLink(random: Host["random"], keep: (code: string) => Promise<void>): Promise<SignInLink> {
  let current = mintSecret(random);
  let taking = false;
  await keep(current);
  return {
    async take(code) {
      const [right, given] = [Buffer.from(current), Buffer.from(code)];
      if (taking || right.length !== given.length || !timingSafeEqual(right, given)) return false;
      taking = true;
      try {
        // The next one is kept first: where that fails, on a full disk, this one still works.
        const next = mintSecret(random);
        await keep(next);
        current = next;
        return true;
      } finally {
        taking = false;
      }
    },
  };
}
