import type { Offers } from "../../../patch/source.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "../session/select.ts";
import { makePatchSource, readUncommitted } from "../source.ts";
import { remotesOf } from "./remotes.ts";
import { timelineOf } from "./timeline.ts";

interface Wishes {
  readonly source?: Offers["wanted"];
  /** The git hook that it runs in. */
  readonly hook?: string | undefined;
}

/** Where this session's commits can come from, as far as its service and the working copy have it. */
export async function offersFor(context: Context, open: OpenSession, { source, hook }: Wishes): Promise<Offers> {
  const { connection, session } = open;
  const { client } = connection;
  const capabilities = await client.capabilities();
  const { branch_name: name, base_commit: commit, base_branch: branch } = session;
  return {
    wanted: source,
    patches: capabilities.has("patches") ? makePatchSource(client, session.id, session.repository_id || undefined) : undefined,
    uncommitted: capabilities.has("uncommitted") ? () => readUncommitted(client, session.id) : undefined,
    branch: isSaid(name) ? { name, base: { commit: orNone(commit), branch: orNone(branch) } } : undefined,
    remotes: once(() => remotesOf(context, open)),
    events: timelineOf(context, open, hook),
  };
}

function isSaid(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== "";
}

function orNone(text: string | null | undefined): string | undefined {
  return isSaid(text) ? text : undefined;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
