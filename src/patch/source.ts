import type { Manifest } from "../wire/patches.ts";

/**
 * Where a session's series comes from. The patch engine knows no network: the cli hands it one of these, made over the
 * client. Everything that it gives is untrusted.
 */
export interface PatchSource {
  /**
   * The whole manifest after a commit (all pages), "" for from the base.
   * @throws FerryError failure with code `history_rewritten` where `after` is no longer in the session's history
   */
  manifest(after: string): Promise<Manifest>;
  /** The mboxrd of exactly that range, as bytes as they were sent. */
  mbox(after: string, until: string): AsyncIterable<Uint8Array>;
  /** The same as a git bundle (merges). */
  bundle(after: string, until: string): AsyncIterable<Uint8Array>;
}
