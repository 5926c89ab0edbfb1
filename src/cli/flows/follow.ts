import { makeBreather } from "../../base/breather.ts";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import { follow, type FollowItem, type FollowOptions } from "../../client/follow.ts";
import { isResting } from "../../client/outcome.ts";
import { isUnreadable } from "../../client/http/json.ts";
import type { EventItem, SessionState } from "../../client/timeline/items.ts";
import type { Context } from "../context.ts";
import type { LiveTimeline } from "../output/timeline/live.ts";
import { hostArgument, sessionArgument } from "./host/argument.ts";
import { makeTroubles } from "./troubles.ts";
import { makeLooks, type Look } from "./pull/looks.ts";
import { sayCommand } from "./session/say-command.ts";
import type { OpenSession } from "./session/select.ts";

/** Who tells of ever other gaps is believed without a word after so many. */
const mostGaps = 10;

export interface FollowView extends Pick<FollowOptions, "until" | "since" | "message" | "fresh"> {
  /** The outcome is `timeout` after this long, in ms. */
  readonly timeout?: number | undefined;
  /** Only events of these types are shown; all without it. */
  readonly types?: readonly string[] | undefined;
  /** With --json, each changed version of an event too, not only its first. */
  readonly updates?: boolean | undefined;
  /** Shows nothing of the timeline, only waits. */
  readonly silent?: boolean | undefined;
  /** Called whenever commits may be there to be pulled; the following waits for it. */
  readonly look?: Look | undefined;
  /** The session as it was when its commits were looked for last. */
  readonly lookedAt?: SessionState | undefined;
}

/**
 * Shows a session's timeline as it grows, on stdout: lines for a person, with --json one event a line, each once. What happens to
 * the connection is told on stderr. Gives how the session stood when the following was over.
 * @throws FerryError auth, not_found; unavailable where the service was stopped; the interrupt's reason
 */
export async function followSession(
  context: Context,
  open: OpenSession,
  view: FollowView,
): Promise<Extract<FollowItem, { kind: "outcome" }>> {
  const { connection, session } = open;
  const { clock, random, interrupt } = context.host;
  // Here, since the tables of character widths that it needs take 60 ms to load, which a noun's other verbs needn't pay.
  const { makeLiveTimeline } = await import("../output/timeline/live.ts");
  const live = makeLiveTimeline(context.host.terminal, context.host.env["TERM"], {
    now: clock.now(),
    say: sayCommand(context, open),
  });
  const show = makeView(context, view, live);
  const { makeSpool } = context.host.files;
  const options = { ...view, client: connection.client, sessionId: session.id, clock, random, makeSpool, signal: interrupt };
  const breathe = makeBreather(clock, interrupt);
  try {
    for await (const item of follow(options)) {
      if (item.kind === "outcome") return item;
      await show(item);
      await breathe();
    }
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    throw error.kind === "not_found" ? await whatIsGone(context, error, open) : wayOn(context, error, session.id);
  } finally {
    await live.settle();
  }
  // With `never` only the signal ends it, which throws.
  throw new FerryError("unavailable", "the timeline broke off");
}

/** The session was there when the following began: it, or its timeline alone. @throws FerryError what went wrong with asking */
async function whatIsGone(context: Context, error: FerryError, { connection, session }: OpenSession): Promise<FerryError> {
  const { kind, status, code } = error;
  const known = { status, code, cause: error };
  try {
    await connection.client.readSession({ params: { sessionId: session.id } });
  } catch (again) {
    if (!(again instanceof FerryError) || again.kind !== "not_found") throw again;
    const hint = `those that are: ferry session list${hostArgument(context)}`;
    return new FerryError(kind, `the session ${oneLine(session.id)} is not there any more: was it deleted?`, { ...known, hint });
  }
  return new FerryError(kind, `the session ${oneLine(session.id)} is there, but not its timeline: ${error.message}`, {
    ...known,
    hint: `how it stands: ferry session view ${sessionArgument(context, session.id)}`,
  });
}

function wayOn(context: Context, error: FerryError, id: string): FerryError {
  const { kind, message, code, cause } = error;
  // The next command starts the service again.
  if (code === "gone")
    return new FerryError(kind, message, { code, hint: `go on with: ferry tail ${sessionArgument(context, id)}` });
  if (!isUnreadable(error)) return error;
  const hint = error.hint ?? `what it sends: ferry api GET ${shellWord(`/api/v1/sessions/${encodeURIComponent(id)}/events`)}`;
  return new FerryError(kind, message, { code, hint, cause });
}

/** Why an agent does nothing. */
function restOf({ agent_status }: SessionState): string {
  if (agent_status === "failed") return "the agent has failed";
  return agent_status === "stopped" ? "the agent was stopped" : "the agent is idle";
}

function makeView({ global, print, host }: Context, view: FollowView, live: LiveTimeline): (item: FollowItem) => Promise<void> {
  const aside = async (tell: () => Promise<void>): Promise<void> => {
    await live.settle();
    await tell();
  };
  const isWanted = (type: string): boolean => view.silent !== true && view.types?.includes(type) !== false;
  const showEvents = async (items: readonly EventItem[]): Promise<void> => {
    const wanted = items.filter(({ event }) => isWanted(event.type ?? ""));
    if (!global.json) await live.show(wanted);
    else await print.events(wanted.filter(({ update }) => !update || view.updates === true));
  };
  // Who watches on may take the silence of an agent that waits for us for one that works.
  let tellsRest = host.terminal.stderr.isTTY && view.look === undefined && (view.until === "end" || view.until === "never");
  const troubles = makeTroubles({ print, host }, aside);
  const gaps = new Set<string>();
  const tellGap = async (gap: string): Promise<void> => {
    if (gaps.has(gap) || gaps.size >= mostGaps) return;
    gaps.add(gap);
    await aside(() => print.warn("the service's stream has lost a part of the timeline, which is read again as a whole"));
  };
  const looks = view.look === undefined ? undefined : makeLooks(view.look, view.lookedAt);
  const tell = async (item: FollowItem): Promise<void> => {
    switch (item.kind) {
      case "events":
        troubles.over();
        return showEvents(item.items);
      case "gap":
        return tellGap(JSON.stringify(item.gap));
      case "trouble":
        return troubles.tell(item);
      case "source":
        return global.verbose
          ? aside(() => print.warn(`following by: ${item.name}${item.reason === undefined ? "" : ` (${item.reason})`}`))
          : undefined;
      case "session":
        troubles.over();
        if (!tellsRest || !isResting(item.session)) return;
        tellsRest = false;
        return aside(() => print.note(`${restOf(item.session)}; Ctrl-C ends the watching (--until idle ends by itself)`));
      case "delta":
        if (!global.json && isWanted("agent_message") && typeof item.delta["text"] === "string")
          await live.write(item.delta["text"]);
        return;
      case "patch":
      case "outcome":
    }
  };
  return async (item) => {
    await tell(item);
    if (looks?.isDue(item) === true) await aside(() => looks.look());
  };
}
