import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { ObjectReader } from "../../../git/objects.ts";
import type { Workshop } from "../engine.ts";
import { Unreadable } from "./cursor.ts";

/** Bytes of contents that are held in memory. */
const budget = 48 * 1024 * 1024;

/**
 * The contents that patches begin at, by their ids: the base's come from one `cat-file --batch`, those that the series made itself
 * are remembered while a later patch may begin there. What memory has no room for is read again, or waits in a file.
 */
export class Contents {
  private readonly objects: ObjectReader;
  private readonly spool: FileHandle;
  private readonly limit: number;
  /** How many patches still begin at an id, as far as the manifest tells. */
  private readonly uses: Map<string, number>;
  /** The longest unused first. */
  private readonly held = new Map<string, { content: Buffer; isMade: boolean }>();
  private readonly spooled = new Map<string, { at: number; size: number }>();
  /** Asked for and not yet read, in order. */
  private readonly asked: string[] = [];
  private size = 0;
  private spoolEnd = 0;

  private constructor(objects: ObjectReader, spool: FileHandle, { uses, limit }: { uses: Map<string, number>; limit: number }) {
    this.objects = objects;
    this.spool = spool;
    this.uses = uses;
    this.limit = limit;
  }

  /** `uses`: how many patches will begin at each id; `limit`: bytes of one content at most. Must be closed. */
  static async open(
    { git, quarantine }: Pick<Workshop, "git" | "quarantine">,
    options: { uses: Map<string, number>; limit: number },
  ): Promise<Contents> {
    const objects = await ObjectReader.open(git, quarantine.options);
    return new Contents(objects, await open(join(quarantine.folder, "contents"), "wx+", 0o600), options);
  }

  /** Asks git for what a patch will need soon, so that it needn't be waited for one by one. */
  prepare(ids: Iterable<string>): void {
    const asked = new Set(this.asked);
    const missing = [...ids].filter((id) => !this.held.has(id) && !this.spooled.has(id) && !asked.has(id));
    if (missing.length === 0) return;
    this.objects.ask(missing);
    for (const id of missing) this.asked.push(id);
  }

  /** @throws Unreadable where there is no such blob, or a larger one than the limit */
  async read(id: string): Promise<Buffer> {
    const content = this.held.get(id)?.content ?? (await this.unspool(id)) ?? (await this.fetch(id));
    const left = (this.uses.get(id) ?? 0) - 1;
    this.uses.set(id, left);
    if (left <= 0) this.drop(id);
    return content;
  }

  /** Remembers what a patch made, where a later one begins there. */
  async keep(id: string, content: Buffer): Promise<void> {
    if ((this.uses.get(id) ?? 0) > 0 && !this.spooled.has(id)) await this.hold(id, content, true);
  }

  async close(): Promise<void> {
    await this.objects.abandon();
    await this.spool.close();
  }

  private async fetch(id: string): Promise<Buffer> {
    if (!this.asked.includes(id)) this.prepare([id]);
    for (let next = this.asked.shift(); next !== undefined; next = this.asked.shift()) {
      const content = await this.answer();
      if (next === id) return content;
      await this.hold(next, content, false);
    }
    throw new Unreadable("a content that isn't here");
  }

  private async answer(): Promise<Buffer> {
    try {
      const object = await this.objects.answer(this.limit);
      if (object?.type === "blob") return object.content;
    } catch (error) {
      if (error instanceof FerryError && error.code === "too_large") throw new Unreadable("a large file", { cause: error });
      throw error;
    }
    throw new Unreadable("a content that isn't here");
  }

  private async hold(id: string, content: Buffer, isMade: boolean): Promise<void> {
    this.drop(id);
    this.held.set(id, { content, isMade });
    this.size += content.length;
    for (const [oldest, { content: large, isMade: mustStay }] of this.held) {
      if (this.size <= budget) return;
      if (mustStay) await this.spoolOut(oldest, large);
      this.drop(oldest);
    }
  }

  private drop(id: string): void {
    this.size -= this.held.get(id)?.content.length ?? 0;
    this.held.delete(id);
  }

  private async spoolOut(id: string, content: Buffer): Promise<void> {
    await this.spool.write(content, 0, content.length, this.spoolEnd);
    this.spooled.set(id, { at: this.spoolEnd, size: content.length });
    this.spoolEnd += content.length;
  }

  private async unspool(id: string): Promise<Buffer | undefined> {
    const place = this.spooled.get(id);
    if (place === undefined) return undefined;
    const { buffer } = await this.spool.read(Buffer.allocUnsafe(place.size), 0, place.size, place.at);
    return buffer;
  }
}
