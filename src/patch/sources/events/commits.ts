import { oneLine } from "../../../base/text.ts";
import { parseTime } from "../../../base/time.ts";
import { FerryError } from "../../../base/errors.ts";
import { ObjectReader } from "../../../git/objects.ts";
import { type GitPath, pathBytes, showPath } from "../../../git/path.ts";
import { fields } from "../../../git/records.ts";
import { gitError } from "../../../git/runner.ts";
import type { PullContext } from "../../context.ts";
import { badPath } from "../../judge/names.ts";
import type { Quarantine } from "../../quarantine.ts";
import type { TimelineEvent } from "../../source.ts";
import { fetchPromised } from "../promised.ts";
import { Model, type ModelFile } from "./model.ts";
import type { Turn } from "./turns.ts";
import { Unfit } from "./unfit.ts";

const branch = "refs/heads/events";
/** Of one file that an event changes. */
const maxContent = 256 * 1024 * 1024;

export interface Workplace {
  readonly context: PullContext;
  readonly quarantine: Quarantine;
  readonly agent: string;
}

/** A turn's commit; undefined where the turn left all files as they were. */
export interface TurnCommit {
  readonly turn: Turn;
  readonly commit: string | undefined;
}

/**
 * Makes a commit of each turn, on the base, in the quarantine; the same ones each time, since nothing but the timeline goes into them.
 * @throws FerryError failure naming the event and the path that can't be
 */
export async function makeCommits(turns: readonly Turn[], base: string | undefined, workplace: Workplace): Promise<TurnCommit[]> {
  const { context, quarantine } = workplace;
  const { git } = context;
  const { options } = quarantine;
  if (base !== undefined) await fetchPromised({ commits: [base], paths: new Set(turns.flatMap(pathsOf)) }, quarantine, context);
  const reader = await ObjectReader.open(git, options);
  const readBlob = async (id: string): Promise<Buffer> => {
    const object = await reader.read(id, maxContent);
    if (object === undefined) throw new Unfit("its content isn't here");
    return object.content;
  };
  const model = new Model(base === undefined ? new Map() : await filesOf(base, workplace), readBlob);
  const made: { turn: Turn; changes: ReadonlyMap<GitPath, ModelFile | undefined> }[] = [];
  try {
    for (const turn of turns) {
      for (const event of turn.events) await playOne(model, event, context);
      made.push({ turn, changes: model.takeChanges() });
    }
  } finally {
    await reader.close();
  }
  const kept = made.filter(({ changes }) => changes.size > 0);
  const input = kept.flatMap(({ turn, changes }, at) =>
    commitLines(turn, changes, { base: at === 0 ? base : undefined, workplace }),
  );
  await git.ok(["update-ref", "-d", branch], options);
  await git.ok(["fast-import", "--quiet", "--done", "--date-format=raw"], {
    ...options,
    input: pathBytes(`${input.join("")}done\n`),
  });
  const commits = kept.length === 0 ? [] : await commitsSince(base, workplace);
  return made.map(({ turn, changes }) => ({ turn, commit: changes.size === 0 ? undefined : commits.shift() }));
}

function pathsOf({ events }: Turn): GitPath[] {
  return events
    .flatMap(({ payload }) => [payload["file_path"], payload["source_path"]])
    .flatMap((path) => (typeof path === "string" ? [Buffer.from(path, "utf8").toString("latin1")] : []));
}

async function playOne(model: Model, event: TimelineEvent, { host }: PullContext): Promise<void> {
  try {
    for (const name of ["file_path", "source_path", "destination_path"]) {
      const path = event.payload[name];
      const reason = typeof path === "string" ? badPath(Buffer.from(path, "utf8").toString("latin1"), host.platform) : undefined;
      if (reason !== undefined) throw new Unfit(`its path ${reason}`);
    }
    await model.play(event);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const { file_path: file, destination_path: target } = event.payload;
    const path = showPath(
      Buffer.from(typeof file === "string" ? file : typeof target === "string" ? target : "?", "utf8").toString("latin1"),
    );
    throw new FerryError("failure", `event ${oneLine(event.id)} (${event.type} ${path}) doesn't fit: ${error.message}`, {
      code: "unfit_event",
      hint: "nothing was changed; the timeline tells too little to make its commits from it",
      cause: error,
    });
  }
}

async function filesOf(base: string, { context: { git }, quarantine }: Workplace): Promise<Map<GitPath, ModelFile>> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", base];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end();
  const files = new Map<GitPath, ModelFile>();
  for await (const batch of fields(listing.stdout))
    for (const entry of batch) {
      const tab = entry.indexOf("\t");
      const [mode = "", , id = ""] = entry.slice(0, tab).split(" ");
      files.set(entry.slice(tab + 1), { mode, id });
    }
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return files;
}

/** git-fast-import(1). Deletions go first, so that a file can become a folder within one commit. One character a byte. */
function commitLines(
  turn: Turn,
  changes: ReadonlyMap<GitPath, ModelFile | undefined>,
  { base, workplace }: { base: string | undefined; workplace: Workplace },
): string[] {
  const { agent, context } = workplace;
  const who = `${identity(agent)} ${secondsOf(turn)} +0000`;
  const message = Buffer.from(messageOf(turn, context.request.session), "utf8").toString("latin1");
  const lines = [`commit ${branch}\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n${message}\n`];
  if (base !== undefined) lines.push(`from ${base}\n`);
  for (const [path, file] of changes) if (file === undefined) lines.push(`D ${quote(path)}\n`);
  for (const [path, file] of changes) {
    if (file === undefined) continue;
    if (file.content === undefined) lines.push(`M ${file.mode} ${file.id ?? ""} ${quote(path)}\n`);
    else lines.push(`M ${file.mode} inline ${quote(path)}\ndata ${file.content.length}\n${file.content}\n`);
  }
  return lines;
}

/** A name in a commit has no angle brackets, and no line break. */
function identity(agent: string): string {
  const name = oneLine(agent).replace(/[<>]/gu, "").trim() || "agent";
  const mailbox =
    name
      .toLowerCase()
      .replace(/[^a-z0-9.-]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/gu, "") || "agent";
  return Buffer.from(`${name} <${mailbox}@ferry.local>`, "utf8").toString("latin1");
}

/** When the turn's last change was made. */
function secondsOf({ events }: Turn): number {
  const at = Math.floor(parseTime(events.at(-1)?.createdAt ?? "") / 1000);
  return Number.isSafeInteger(at) && at > 0 && at < 4_102_444_800 ? at : 0;
}

const subjectLength = 72;

function messageOf({ message }: Turn, session: string): string {
  const [first = "", ...rest] = message.replaceAll("\0", "").replace(/\r\n?/gu, "\n").trim().split("\n");
  const subject = first.length > subjectLength ? `${first.slice(0, subjectLength - 1).trimEnd()}…` : first;
  const body = (first.length > subjectLength ? [first, ...rest] : rest).join("\n").trim();
  return `${[subject || "What the agent changed", body, `Ferry-Session: ${oneLine(session)}`].filter(Boolean).join("\n\n")}\n`;
}

async function commitsSince(base: string | undefined, { context: { git }, quarantine }: Workplace): Promise<string[]> {
  const range = base === undefined ? [branch] : [branch, `^${base}`];
  const listing = await git.ok(["rev-list", "--reverse", ...range, "--"], quarantine.options);
  return listing.toString("latin1").split("\n").filter(Boolean);
}

function quote(path: GitPath): string {
  return `"${path.replace(/[\\"]/gu, "\\$&").replaceAll("\n", "\\n")}"`;
}
