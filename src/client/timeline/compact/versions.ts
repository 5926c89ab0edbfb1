import { Numbers } from "./numbers.ts";

/** What tells two versions of one event apart: they say the same if their stamps are the same. */
export interface Version {
  /** NaN without one. */
  readonly revision: number;
  /** `updated_at` in epoch ms; NaN where it can't be read. */
  readonly updated: number;
  readonly stamp: number;
  /** Whether it is still to be worked on. */
  readonly isOpen: boolean;
}

/** So many versions of one moment are remembered: a service of that many servers may have each say its own. */
const mostSaid = 8;

/** The newest version of each event, by the event's number. */
export class Versions {
  private readonly revisions = new Numbers();
  private readonly updated = new Numbers();
  private readonly stamps = new Numbers();
  private readonly open = new Set<number>();
  /** What an event said before, within the same moment: under the same revision, or at the same `updated_at`. The last of it. */
  private readonly replaced = new Map<number, readonly number[]>();

  /** The next event's first. */
  add(version: Version): void {
    for (const numbers of [this.revisions, this.updated, this.stamps]) numbers.push(NaN);
    this.keep(this.stamps.length - 1, version);
  }

  /** Takes it in if it is no older than what is there; says whether it is a change. */
  take(place: number, version: Version): boolean {
    if (this.isOlder(place, version)) return false;
    const before = this.stamps.at(place);
    const isChange = version.stamp !== before;
    if (isChange) {
      const isSameMoment = Number.isNaN(version.revision)
        ? version.updated === this.updated.at(place)
        : version.revision === this.revisions.at(place);
      const said = isSameMoment ? (this.replaced.get(place) ?? []) : [];
      // Answers that contradict each other, time after time, are no news. A revision has one version; who never repeats one is wrong, too.
      const isEnd = this.open.has(place) && !version.isOpen;
      const isEndless = !Number.isNaN(version.revision) && said.length >= mostSaid && !isEnd;
      if (said.includes(version.stamp) || isEndless) return false;
      if (isSameMoment) this.replaced.set(place, [...said, before].slice(-mostSaid));
      else this.replaced.delete(place);
    }
    this.keep(place, version);
    return isChange;
  }

  /** Whether it says what is known, under a smaller revision. */
  isRenumbered(place: number, version: Version): boolean {
    return version.revision < this.revisions.at(place) && version.stamp === this.stamps.at(place);
  }

  /** They are counted anew: none is older for its number. */
  forgetRevisions(): void {
    for (let place = 0; place < this.revisions.length; place++) this.revisions.set(place, NaN);
  }

  /**
   * A stream may repeat what an answer by another way already had newer, and one of several servers be behind the others. Without
   * revisions the later `updated_at` wins; but nothing is taken up again once it is done, so an end counts whatever the clock says,
   * and of two versions under one revision the one that is done.
   */
  private isOlder(place: number, version: Version): boolean {
    const revision = this.revisions.at(place);
    if (version.revision === revision) return version.isOpen && !this.open.has(place);
    if (!Number.isNaN(version.revision)) return version.revision < revision;
    const isEnd = this.open.has(place) && !version.isOpen;
    return version.updated < this.updated.at(place) && !isEnd;
  }

  private keep(place: number, { revision, updated, stamp, isOpen }: Version): void {
    this.revisions.set(place, revision);
    this.updated.set(place, updated);
    this.stamps.set(place, stamp);
    if (isOpen) this.open.add(place);
    else this.open.delete(place);
  }
}
