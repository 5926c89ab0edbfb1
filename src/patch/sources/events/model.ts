import { createHash } from "node:crypto";
import { type GitPath, pathBytes } from "../../../git/path.ts";
import { modes } from "../../../git/records.ts";
import type { TimelineEvent } from "../../source.ts";
import { applyDiff, type FileDiff, parseDiff } from "./diff.ts";
import { Unfit } from "./unfit.ts";

/** A file of the sandbox, as the base has it or as the events left it. */
export interface ModelFile {
  readonly mode: string;
  /** The blob that it still is; undefined once its content is told. */
  readonly id?: string | undefined;
  /** One character a byte. */
  readonly content?: string | undefined;
}

/** The sandbox's files while the events are played. */
export class Model {
  private readonly files: Map<GitPath, ModelFile>;
  private readonly readBlob: (id: string) => Promise<Buffer>;
  /** What each file was before the present turn. */
  private before = new Map<GitPath, ModelFile | undefined>();

  constructor(files: ReadonlyMap<GitPath, ModelFile>, readBlob: (id: string) => Promise<Buffer>) {
    this.files = new Map(files);
    this.readBlob = readBlob;
  }

  /** Does what a file event tells. @throws Unfit where that can't be done to the files as they are */
  async play({ type, payload }: TimelineEvent): Promise<void> {
    const text = (name: string): string => textOf(payload, name);
    if (type === "agent_file_create") return this.create(pathOf(text("file_path")), text("diff"));
    if (type === "agent_file_edit") return this.edit(pathOf(text("file_path")), text("diff"));
    if (type === "agent_file_remove") {
      this.remove(pathOf(text("file_path")));
      return;
    }
    const [from, to] = [pathOf(text("source_path")), pathOf(text("destination_path"))];
    const diff = payload["diff"] === undefined || payload["diff"] === null || payload["diff"] === "" ? undefined : text("diff");
    await this.copy(from, to, diff);
    if (type === "agent_file_move") this.remove(from);
  }

  /** The files that the turn changed, undefined for what is gone; begins the next turn. */
  takeChanges(): Map<GitPath, ModelFile | undefined> {
    const changed = [...this.before].filter(([path, was]) => !equal(was, this.files.get(path)));
    this.before = new Map();
    return new Map(changed.map(([path]) => [path, this.files.get(path)]));
  }

  /** A diff from nothing tells all of a file, whatever was there; another one is of what was there. */
  private async create(path: GitPath, text: string): Promise<void> {
    const diff = parse(text, path);
    const isWhole = diff.hunks.every(({ oldCount }) => oldCount === 0);
    const content = isWhole ? applyDiff(diff, "") : await this.applied(path, diff);
    this.set(path, { mode: modeOf(diff) ?? modes.file, content: checked(content, diff) });
  }

  private async edit(path: GitPath, text: string): Promise<void> {
    const diff = parse(text, path);
    const { mode } = this.at(path);
    if (diff.hunks.length === 0 && diff.newMode === undefined) throw new Unfit("its diff changes nothing");
    this.set(path, { mode: modeOf(diff) ?? mode, content: checked(await this.applied(path, diff), diff) });
  }

  private async copy(from: GitPath, to: GitPath, text: string | undefined): Promise<void> {
    if (from === to) throw new Unfit("its two paths are one");
    if (to.startsWith(`${from}/`)) throw new Unfit("it would go into itself");
    if (text !== undefined) {
      const diff = parse(text, to, from);
      const { mode } = this.at(from);
      this.set(to, { mode: modeOf(diff) ?? mode, content: checked(await this.applied(from, diff), diff) });
      return;
    }
    for (const path of this.below(from)) this.set(to + path.slice(from.length), this.at(path));
  }

  private remove(path: GitPath): void {
    for (const each of this.below(path)) this.set(each, undefined);
  }

  /** The file itself, or all files of the folder. */
  private below(path: GitPath): GitPath[] {
    if (this.files.has(path)) return [path];
    const inside = [...this.files.keys()].filter((each) => each.startsWith(`${path}/`));
    if (inside.length === 0) throw new Unfit("there is no such file");
    return inside;
  }

  private at(path: GitPath): ModelFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Unfit("there is no such file");
    return file;
  }

  private async applied(path: GitPath, diff: FileDiff): Promise<string> {
    const file = this.at(path);
    if (file.mode === modes.gitlink) throw new Unfit("it is a submodule");
    const content = file.content ?? (await this.readBlob(file.id ?? "")).toString("latin1");
    if (!isBlob(content, diff.oldId)) throw new Unfit("its diff is of another content");
    return applyDiff(diff, content);
  }

  private set(path: GitPath, file: ModelFile | undefined): void {
    if (!this.before.has(path)) this.before.set(path, this.files.get(path));
    if (file === undefined) this.files.delete(path);
    else {
      this.makeRoom(path);
      this.files.set(path, file);
    }
  }

  /** A path is a file or a folder, not both. */
  private makeRoom(path: GitPath): void {
    const names = path.split("/");
    const above = names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
    if (above.some((each) => this.files.has(each))) throw new Unfit("a folder of its path is a file");
    if (!this.files.has(path) && [...this.files.keys()].some((each) => each.startsWith(`${path}/`)))
      throw new Unfit("it is a folder");
  }
}

function textOf(payload: Readonly<Record<string, unknown>>, name: string): string {
  const value = payload[name];
  if (typeof value !== "string") throw new Unfit(`its ${name} is missing`);
  return value;
}

function pathOf(text: string): GitPath {
  return Buffer.from(text, "utf8").toString("latin1");
}

function parse(text: string, ...paths: readonly GitPath[]): FileDiff {
  const diff = parseDiff(Buffer.from(text, "utf8").toString("latin1"));
  const other = diff.names.find((name) => name !== "/dev/null" && !paths.some((path) => isOf(name, path)));
  if (other !== undefined) throw new Unfit("its diff is of another file");
  return diff;
}

/** `a/src/x`, `src/x`, and `/workspace/repo/src/x` are of `src/x`; a quoted name isn't looked into. */
function isOf(name: string, path: GitPath): boolean {
  return name.startsWith('"') || name === path || name.endsWith(`/${path}`);
}

function modeOf({ newMode }: FileDiff): string | undefined {
  if (newMode === undefined || newMode === modes.file || newMode === modes.executable || newMode === modes.link) return newMode;
  throw new Unfit(`the mode ${newMode} isn't a file's`);
}

function checked(content: string, { newId }: FileDiff): string {
  if (!isBlob(content, newId)) throw new Unfit("its diff makes another content than it says");
  return content;
}

/** Whether a content has the id, whole or its start, that a diff of git's names; true where it names none that can be checked. */
function isBlob(content: string, id: string | undefined): boolean {
  if (id === undefined || id.length < 7 || id.length > 40 || /^0+$/u.test(id)) return true;
  const bytes = pathBytes(content);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex").startsWith(id);
}

function equal(one: ModelFile | undefined, other: ModelFile | undefined): boolean {
  return one?.mode === other?.mode && one?.id === other?.id && one?.content === other?.content;
}
