import { join } from "node:path";
import { fileName } from "../../base/file-name.ts";
import { findFolders } from "../../base/folders.ts";
import type { Context } from "../context.ts";
import { chooseHost, chosenName, keyOfEnvironment } from "../flows/host/choose.ts";
import { connect, type Connection } from "../flows/host/connect.ts";
import type { Candidate } from "./candidate.ts";

/** How long an answer counts as new, and how long it is better than none, in ms. */
const fresh = 60_000;
const usable = 86_400_000;
/** A person waits for the key to do something, in ms. */
const patience = 300;

interface Kept {
  readonly at: number;
  readonly values: readonly Candidate[];
}

/** What the service says, or said a short while ago. A keychain is not opened for it: that may ask the user for a password. */
export async function remembered(
  context: Context,
  kind: string,
  ask: (connection: Connection) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const { host } = context;
  const chosen = await chooseHost(context);
  const path = join(findFolders(host).state, "completion", fileName(`${chosenName(chosen)} ${kind}`, ".json"));
  const kept = await read(context, path);
  if (kept !== undefined && host.clock.now() - kept.at < fresh) return kept.values;
  const locked =
    chosen.kind === "remote" && chosen.entry?.store === "keychain" && keyOfEnvironment(context, chosen) === undefined;
  const asked = locked ? undefined : await askBriefly(context, ask);
  if (asked === undefined) return kept?.values ?? [];
  // Where it can't be kept, it is asked for again.
  await host.files.write(path, JSON.stringify({ at: host.clock.now(), values: asked } satisfies Kept)).catch(() => undefined);
  return asked;
}

/** Undefined where nothing that counts is kept: a file that is damaged, or can't be read, is as good as none. */
async function read({ host }: Context, path: string): Promise<Kept | undefined> {
  const text = await host.files.readText(path).catch(() => undefined);
  const kept = text === undefined ? undefined : keptIn(text);
  return kept !== undefined && host.clock.now() - kept.at < usable ? kept : undefined;
}

function keptIn(text: string): Kept | undefined {
  try {
    const kept = JSON.parse(text) as Partial<Kept> | null;
    return typeof kept?.at === "number" && Array.isArray(kept.values) && kept.values.every(isCandidate)
      ? (kept as Kept)
      : undefined;
  } catch {
    return undefined;
  }
}

function isCandidate(given: unknown): given is Candidate {
  const { value, description } = (given ?? {}) as Partial<Record<keyof Candidate, unknown>>;
  return typeof value === "string" && typeof description === "string";
}

/** Undefined where no answer came in time. */
async function askBriefly(
  context: Context,
  ask: (connection: Connection) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[] | undefined> {
  const interrupt = AbortSignal.any([context.host.interrupt, AbortSignal.timeout(patience)]);
  const hasty = { ...context, interactive: false, host: { ...context.host, interrupt } };
  try {
    return await ask(await connect(hasty, undefined, { hasty: true }));
  } catch {
    // Logged out, offline, too slow: whoever presses Tab wants words, not errors.
    return undefined;
  }
}
