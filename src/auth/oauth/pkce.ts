import { createHash, timingSafeEqual } from "node:crypto";
import type { Host } from "../../host/host.ts";

/** What one login is bound to: the proof that a code was asked for by us (RFC 7636), and that an answer belongs to our question. */
export interface Binding {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** 32 random bytes each. */
export function makeBinding(random: Host["random"]): Binding {
  const verifier = Buffer.from(random(32)).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return { verifier, challenge, state: Buffer.from(random(32)).toString("base64url") };
}

/** In a time that tells nothing about where they differ. */
export function isState(binding: Binding, given: string | null): boolean {
  const [right, other] = [Buffer.from(binding.state), Buffer.from(given ?? "")];
  return right.length === other.length && timingSafeEqual(right, other);
}
