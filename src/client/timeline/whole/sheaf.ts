import { FerryError } from "../../../base/errors.ts";
import type { Spool } from "../../../host/host.ts";
import { parseItems, type Slices } from "../../http/json-array.ts";
import { Numbers } from "../compact/numbers.ts";
import { timeOf } from "../items.ts";
import { print, viewOf } from "./print.ts";

/** So many bytes are kept in memory; what is longer goes to a spool. */
const kept = 4 * 1024 * 1024;
/** So many bytes of items are parsed at once. */
const batchSize = 64 * 1024;

/** The index has 40 bytes of memory for each item, and who knows them some 40 more: more of them, be they as small as `{}`, are none of a timeline's. */
const mostItems = 3_000_000;

/** Items that belong together. */
export interface Batch {
  readonly items: readonly unknown[];
  /** The bytes of the item at a place, as text. */
  readonly text: (at: number) => string;
}

/** The prints of a timeline's items at their places, by which an array that is read again is known. */
export type Prints = Numbers;

/**
 * The items of a whole timeline, to be told in order: bytes aside and an index in memory, which is all that grows with it. Items
 * that are at their place as in `before` are known and left out.
 */
export class Sheaf {
  /** Of every item that was added. */
  readonly prints = new Numbers();
  private readonly before: Prints;
  private readonly longest: number;
  private readonly makeSpool: () => Promise<Spool>;
  private spool: Spool | undefined;
  private held: Buffer[] = [];
  private size = 0;
  /** Of each item that is not known: where it lies, its place in the array, and when it was made. */
  private readonly starts = new Numbers();
  private readonly ends = new Numbers();
  private readonly nth = new Numbers();
  private readonly made = new Numbers();
  private last = -Infinity;
  private isInOrder = true;
  private isDeep = false;

  /** `longest`: more bytes than that are none of a timeline's, and are not put aside. */
  constructor(before: Prints, makeSpool: () => Promise<Spool>, longest: number) {
    this.longest = longest;
    this.before = before;
    this.makeSpool = makeSpool;
  }

  async add({ bytes, places, isDeep }: Slices): Promise<void> {
    const had = this.nth.length;
    this.isDeep ||= isDeep;
    const view = viewOf(bytes);
    for (let at = 0; at < places.length; at += 4) {
      const [start = 0, end = 0] = [places[at], places[at + 1]];
      const nth = this.prints.length;
      const mark = print(view, start, end);
      this.prints.push(mark);
      if (this.before.at(nth) === mark) continue;
      this.index(nth, this.size + start, this.size + end, timeAt(bytes, places[at + 2] ?? 0, places[at + 3] ?? 0));
    }
    if (this.prints.length > mostItems) throw endless(`${mostItems} events`);
    if (this.nth.length > had) await this.put(bytes);
  }

  /** All that is not known by when it was made, ties as they came; one whose time can't be read stays behind its neighbour. */
  async *batches(): AsyncGenerator<Batch> {
    const order = this.isInOrder ? undefined : this.inOrder();
    let [places, size]: [Place[], number] = [[], 0];
    let slices: Slice[] = [];
    for (let at = 0; at < this.nth.length; at++) {
      const entry = order?.[at] ?? at;
      const [start, end, nth] = [this.starts.at(entry), this.ends.at(entry), this.nth.at(entry)];
      const place = places.at(-1);
      // Neighbours are read together, with the comma between them.
      if (place?.next === nth && place.end + 1 === start) {
        place.end = end;
        place.next = nth + 1;
      } else places.push({ start, end, next: nth + 1 });
      slices.push({ start, end, place: places.length - 1 });
      size += end - start;
      if (size < batchSize && at < this.nth.length - 1) continue;
      const bytes = await this.read(places);
      yield { items: parseItems(bytes, this.isDeep), text: textIn(bytes, places, slices) };
      [places, size, slices] = [[], 0, []];
    }
  }

  async close(): Promise<void> {
    await this.spool?.close();
  }

  private index(nth: number, start: number, end: number, made: number): void {
    this.starts.push(start);
    this.ends.push(end);
    this.nth.push(nth);
    if (made < this.last) this.isInOrder = false;
    if (!Number.isNaN(made)) this.last = made;
    this.made.push(this.last);
  }

  private inOrder(): Uint32Array {
    const time = (entry: number) => this.made.at(entry);
    return Uint32Array.from({ length: this.made.length }, (_, entry) => entry).sort((one, other) =>
      time(one) < time(other) ? -1 : time(one) > time(other) ? 1 : one - other,
    );
  }

  private async put(bytes: Buffer): Promise<void> {
    this.size += bytes.length;
    if (this.size > this.longest) throw endless(`${this.longest} bytes`);
    if (this.spool === undefined && this.size <= kept) return void this.held.push(Buffer.from(bytes));
    this.spool ??= await this.unload();
    await this.spool.append(bytes);
  }

  private async unload(): Promise<Spool> {
    const spool = await this.makeSpool();
    for (const bytes of this.held) await spool.append(bytes);
    this.held = [];
    return spool;
  }

  private async read(places: readonly Place[]): Promise<Buffer[]> {
    if (this.spool !== undefined) return this.spool.read(places);
    if (this.held.length > 1) this.held = [Buffer.concat(this.held)];
    return places.map(({ start, end }) => this.held[0]?.subarray(start, end) ?? Buffer.alloc(0));
  }
}

function endless(most: string): FerryError {
  return new FerryError("failure", `the timeline has no end: more than ${most} have come`, { code: "too_long" });
}

interface Place {
  readonly start: number;
  end: number;
  /** The place in the array of the item that would follow. */
  next: number;
}

/** One item within the place that it was read with. */
interface Slice {
  readonly start: number;
  readonly end: number;
  readonly place: number;
}

function textIn(bytes: readonly Buffer[], places: readonly Place[], slices: readonly Slice[]): (at: number) => string {
  return (at) => {
    const { start, end, place } = slices[at] ?? { start: 0, end: 0, place: 0 };
    const from = places[place]?.start ?? 0;
    return bytes[place]?.toString("utf8", start - from, end - from) ?? "";
  };
}

/** What a time stamp's text says, in epoch ms; NaN where there is none. */
function timeAt(bytes: Buffer, start: number, end: number): number {
  const text = bytes.toString("latin1", start, end);
  return timeOf(text.includes("\\") ? unescaped(text) : text);
}

/** What is no JSON is told by who parses the whole item. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return "";
  }
}
