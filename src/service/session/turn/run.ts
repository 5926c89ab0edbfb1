import { asFerryError } from "../../../base/errors.ts";
import type { Session } from "../../../wire/resources.ts";
import type { AgentLaunch } from "../../agent/agent.ts";
import type { SessionsDeps } from "../deps.ts";
import { leaveRoom } from "../leave.ts";
import { aborted, Haste } from "./haste.ts";
import type { Questions } from "./questions.ts";
import { TurnRecord } from "./record.ts";
import type { Memory } from "../memory/memory.ts";
import { missedIn, tellPast } from "../memory/past.ts";
import { bringHome, type BroughtHome } from "../repository/bring-home.ts";
import { Room } from "../workspace/room.ts";
import type { Rooms } from "../workspace/rooms.ts";
import { findSession, type UserMessage } from "../settle.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { withTurn } from "./usage.ts";
import { commitMessage, commitTurn } from "../workspace/commit.ts";

/** How a turn ended. `reason` is told to the user where it isn't "", and where the agent has not said it already. */
export interface TurnOutcome {
  readonly type: "completed" | "failed" | "canceled" | "no sandbox";
  readonly reason: string;
  readonly said?: boolean;
}

export interface Turn {
  readonly session: Session;
  /** The user_message. */
  readonly message: UserMessage;
  readonly questions: Questions;
  /** Stops the turn: the agent is asked, then everything in its sandbox is killed. */
  readonly signal: AbortSignal;
  /** The service stops, and with it all turns. */
  readonly halt: AbortSignal;
}

export interface TurnTools {
  readonly deps: SessionsDeps;
  readonly timeline: Timeline;
  readonly rooms: Rooms;
  /** Called with what came home, before the turn is over. */
  readonly arrived: (session: Session, home: BroughtHome) => Promise<void>;
}

/** How long an agent may take to stop by itself, in ms. */
const grace = 250;

/** Runs one message from the sandbox's start to the commits' arrival in the session's repository. Never throws. */
export async function runTurn(tools: TurnTools, turn: Turn): Promise<TurnOutcome> {
  const room = await enter(tools, turn);
  if (!(room instanceof Room)) return room;
  const limited = new AbortController();
  const crowded = new AbortController();
  const occasions = {
    hurry: AbortSignal.any([turn.signal, limited.signal]),
    rush: AbortSignal.any([turn.halt, crowded.signal]),
  };
  const haste = new Haste(tools.deps, occasions, () => tellSaving(tools, turn, room));
  room.boundBy(haste.bounds);
  /** The agent is done: what a sandbox holds that is over a limit is worth no long wait, least where the disk has it. */
  const done = (): void => {
    const limit = room.sandbox.exceeded();
    if (limit !== undefined) limited.abort();
    if (limit === "disk") crowded.abort();
  };
  try {
    const outcome = await work(tools, turn, room, done);
    await room.rest();
    await saveWork(tools, turn, room, outcome);
    return await finish(tools, turn, room, outcome);
  } catch (error) {
    await haste.end();
    return await fail(tools, turn, room, error);
  } finally {
    await haste.end();
  }
}

async function tellSaving({ timeline }: TurnTools, turn: Turn, { sandbox }: Room): Promise<void> {
  const why = turn.signal.aborted ? "stopped" : reached(sandbox.exceeded() ?? "");
  await timeline.say(turn.session.id, `${why}; what it did is being saved`);
}

/** A sandbox that reached a limit is no good place any more; what it held is saved. */
async function finish({ rooms }: TurnTools, turn: Turn, { sandbox }: Room, outcome: TurnOutcome): Promise<TurnOutcome> {
  const limit = sandbox.exceeded();
  if (limit === undefined) return outcome;
  const kept = await rooms.leave(turn.session.id);
  const said = outcome.said === true || outcome.reason === "" ? reached(limit) : outcome.reason;
  const told = [said, kept === "" ? "" : `what of it isn't saved is ${kept}`, anew];
  return { type: outcome.type, reason: told.filter((text) => text !== "").join("; ") };
}

/** It could not be saved: it stays in its sandbox, and where no turn can go on in that, it is kept. */
async function fail({ rooms }: TurnTools, turn: Turn, room: Room, error: unknown): Promise<TurnOutcome> {
  room.dismissAgent();
  room.unsaved = true;
  const limit = room.sandbox.exceeded();
  const unsaved = `what it did can't be saved: ${asFerryError(error).message}`;
  // A service that stops takes the sandbox along anyway.
  if (limit === undefined && !turn.halt.aborted && (await room.isIntact()))
    return { type: turn.signal.aborted ? "canceled" : "failed", reason: unsaved };
  const kept = await rooms.leave(turn.session.id);
  const told = [limit === undefined ? "" : reached(limit), unsaved, kept === "" ? "" : `it is ${kept}`, anew];
  return { type: "failed", reason: told.filter((text) => text !== "").join("; ") };
}

function reached(limit: string): string {
  return `the sandbox reached its limit (${limit})`;
}

const anew = "the next message begins with a new sandbox";

/** The session's room, or why there is none: without its agent the turn fails, without a sandbox the session is over. */
async function enter(tools: TurnTools, turn: Turn): Promise<Room | TurnOutcome> {
  const { deps, timeline, rooms } = tools;
  const { session } = turn;
  const known = rooms.enter(session);
  if (known !== undefined && known.sandbox.exceeded() === undefined) return known;
  if (known !== undefined) await giveUp(tools, turn, known);
  if (turn.signal.aborted) return { type: "canceled", reason: "" };
  let launch: AgentLaunch;
  try {
    launch = await deps.agents.launch(session.model);
  } catch (error) {
    const { message, hint } = asFerryError(error);
    return { type: "failed", reason: hint === undefined ? message : `${message} (${hint})` };
  }
  try {
    const room = await rooms.make(session, launch);
    await timeline.change(session.id, { sandbox_id: room.sandbox.id });
    return room;
  } catch (error) {
    deps.log(`session ${session.id}: no sandbox: ${asFerryError(error).message}`);
    return { type: "no sandbox", reason: asFerryError(error).message };
  }
}

/** At rest a sandbox may reach a limit too, its age for one, and no agent starts in it any more: what it holds comes home, and it goes. */
async function giveUp(tools: TurnTools, turn: Turn, room: Room): Promise<void> {
  const { deps, timeline } = tools;
  const { id } = turn.session;
  // Whoever sent the message waits for it.
  const occasions = { hurry: AbortSignal.abort(), rush: turn.signal };
  const haste = new Haste(deps, occasions, () => tellSaving(tools, turn, room));
  room.boundBy(haste.bounds);
  try {
    await room.quiet();
    await room.look();
    await saveWork(tools, turn, room, { type: "canceled", reason: "" });
  } catch (error) {
    room.unsaved = true;
    await timeline.say(id, `what the last turn didn't bring home can't be saved: ${asFerryError(error).message}`);
  } finally {
    await haste.end();
  }
  await leaveRoom(tools, id);
}

/** What the agent does, until it is done or stopped. */
async function work(tools: TurnTools, turn: Turn, room: Room, done: () => void): Promise<TurnOutcome> {
  const { deps, timeline } = tools;
  const { session, questions, signal } = turn;
  if (signal.aborted) return { type: "canceled", reason: "" };
  const record = new TurnRecord({ sessionId: session.id, timeline, room, clock: deps.host.clock, signal });
  const stopped = new AbortController();
  const stopping = stopOn(signal, deps, room, stopped.signal);
  const { sandbox, desk } = room;
  desk.open({
    scene: async () => ({ deps, session: await findSession(deps.store, session.id), sandbox, tree: room.lastTree, signal }),
    perform: (tool) => record.perform(tool),
    remark: (reason) => record.remark(reason),
  });
  try {
    return await prompt(tools, turn, room, record);
  } finally {
    done();
    stopped.abort();
    await stopping;
    await questions.close();
    desk.close();
    await record.settled();
    await count(tools, turn, room, record);
  }
}

/** Adds to the session's usage what the turn took, however it ended. */
async function count({ deps, timeline }: TurnTools, { session }: Turn, room: Room, { total }: TurnRecord): Promise<void> {
  const { usage } = await findSession(deps.store, session.id);
  const now = withTurn(usage, room.takeUsage(total));
  if (now !== usage) await timeline.change(session.id, { usage: now });
}

async function prompt(tools: TurnTools, turn: Turn, room: Room, record: TurnRecord): Promise<TurnOutcome> {
  const { message, questions, signal } = turn;
  try {
    const { agent, fresh, memory } = await room.agent();
    const past = fresh && room.remembers ? await missed(tools, turn, memory) : "";
    const ask = () => void agent.cancel().catch(() => undefined);
    signal.addEventListener("abort", ask, { once: true });
    try {
      const { outcome, remark } = await agent.prompt(message.payload.message, record.report, questions.ask, past);
      return { type: outcome, reason: remark };
    } finally {
      signal.removeEventListener("abort", ask);
    }
  } catch (error) {
    room.dismissAgent();
    const reason = reasonOf(error, room);
    if (signal.aborted) return { type: "canceled", reason: "" };
    return { type: "failed", reason, said: record.wasSaid(reason) };
  }
}

/** A limit that is reached ends whatever runs, which then complains in its own way. */
function reasonOf(error: unknown, { sandbox }: Room): string {
  const limit = sandbox.exceeded();
  return limit === undefined ? asFerryError(error).message : reached(limit);
}

/** What a new process of the agent doesn't know of the session: what came after its memory, or all of it. */
async function missed({ deps, timeline }: TurnTools, { session, message }: Turn, memory: Memory | undefined): Promise<string> {
  const past = await tellPast(missedIn(deps.store.timeline.pages(session.id), message.id, memory));
  if (past !== "" && memory === undefined)
    await timeline.say(session.id, "the agent was started anew: ferry told it what happened before");
  return past;
}

/** Waits for the stop; agents leave children behind when they are only asked, so all that runs is killed then. */
async function stopOn(signal: AbortSignal, { host }: SessionsDeps, room: Room, over: AbortSignal): Promise<void> {
  await aborted(AbortSignal.any([signal, over]));
  if (!signal.aborted) return;
  await host.clock.sleep(grace, over).catch(() => undefined);
  await room.quiet();
}

/** Commits what the session wants committed, and brings the commits home. A turn that failed keeps what it did. */
async function saveWork(tools: TurnTools, { session, message }: Turn, room: Room, outcome: TurnOutcome): Promise<void> {
  const { deps, timeline } = tools;
  let obstacle = "";
  if (session.auto_commit && outcome.type !== "canceled") {
    const text = commitMessage(message.payload.message, session.id);
    ({ obstacle } = await commitTurn(room.sandbox, { branch: session.branch_name, tree: room.lastTree, message: text }));
    if (obstacle !== "") await timeline.say(session.id, `nothing was committed: ${obstacle}`);
  }
  const series = {
    sessionId: session.id,
    branch: session.branch_name,
    base: session.base_commit ?? "",
    head: session.head_commit ?? "",
    obstacle,
  };
  const home = await bringHome(deps, room.sandbox, room.lastTree, series);
  // What the last look didn't reach is in no tree that came home.
  room.unsaved = room.unseen || !home.whole;
  if (home.remark !== "") await timeline.say(session.id, home.remark);
  await tools.arrived(session, home);
  await room.remember(message.id);
}
