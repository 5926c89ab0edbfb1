import { Argument } from "commander";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { getBoolean } from "../../../git/config.ts";
import type { Context } from "../../context.ts";
import { connect } from "../../flows/host/connect.ts";
import { findLinkedIfAny } from "../../flows/place/link.ts";
import type { Place } from "../../flows/place/place.ts";
import { isPullUndone, pullSession, summary } from "../../flows/pull.ts";
import { requireLinkedHost } from "../../flows/session/linked.ts";
import type { OpenSession } from "../../flows/session/select.ts";
import type { Verb } from "../../verb.ts";
import { hookNames, type HookName } from "./block.ts";

/** Somebody waits for their git: all of it together, in ms. */
const patience = 3000;

export const run: Verb = {
  name: "run",
  summary: "What the installed hooks call",
  description:
    "What the installed hooks call: pulls the linked session's commits, or before a push says that there are newer ones. Asks nothing, starts nothing, tries once and for 3 seconds at most; ends with 0 unless ferry.hookStrict is set.",
  examples: ["ferry hook run post-merge"],
  define: (command) => void command.addArgument(new Argument("<hook>", "which one").choices(hookNames)),
  async run(context, _, name: HookName) {
    const { place, link } = (await findLinkedIfAny(context)) ?? {};
    if (place === undefined || link === undefined) return;
    const interrupt = AbortSignal.any([context.host.interrupt, AbortSignal.timeout(patience)]);
    const hasty: Context = { ...context, interactive: false, host: { ...context.host, interrupt } };
    try {
      await requireLinkedHost(hasty, link);
      const connection = await connect(hasty, link.host, { hasty: true });
      const session = await connection.client.readSession({ params: { sessionId: link.session } });
      await act(hasty, place, { connection, session }, name);
    } catch (error) {
      context.host.interrupt.throwIfAborted();
      const failure = interrupt.aborted
        ? new FerryError("unavailable", "no answer within 3 seconds", { cause: error })
        : asFerryError(error);
      if (await getBoolean(context.git, place.folder, "ferry.hookStrict")) throw failure;
      await context.print.note(`ferry: the commits of ${link.session} were not pulled: ${failure.message}`);
    }
  },
};

async function act(context: Context, place: Place, open: OpenSession, name: HookName): Promise<void> {
  if (name === "pre-push") {
    if (await isBehind(context, place, open)) await context.print.note(`ferry: ${open.session.id} has newer commits: ferry pull`);
    return;
  }
  if (await isPullUndone(context, open, place)) {
    await context.print.note(
      `ferry: nothing of ${open.session.id} comes by itself, since its last pull was undone here: ferry pull`,
    );
    return;
  }
  const verdict = await pullSession(context, open, { hook: name, repository: place.repository, head: place.head });
  if (verdict.left_behind !== undefined) await context.print.note(`ferry: ${verdict.left_behind}: ferry pull`);
  if (verdict.applied) await context.print.note(`ferry: ${summary(verdict, place)}`);
}

/** Whether the sandbox's newest commit is not in what is here. */
async function isBehind({ git }: Context, place: Place, { session }: OpenSession): Promise<boolean> {
  const head = session.head_commit ?? "";
  if (!/^[0-9a-f]{40,64}$/u.test(head) || head === session.base_commit) return false;
  const { code } = await git.run(["merge-base", "--is-ancestor", head, "HEAD"], { cwd: place.folder });
  return code !== 0;
}
