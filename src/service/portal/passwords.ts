import type { Clock, Host } from "../../host/host.ts";
import { isPassword, noPassword } from "../keys/password.ts";
import type { Store, UserRecord } from "../store/store.ts";
import { makeFailures } from "./failures.ts";

/** Who signs in with a name and a password. */
export interface Passwords {
  /** The user they are right for, nobody, or in how many seconds it can be tried again. `peer` is where it is tried from. */
  check(given: Given, peer: string | undefined): Promise<UserRecord | undefined | { readonly retryAfter: number }>;
}

interface Given {
  readonly name: string;
  readonly password: string;
}

/** In characters, as `ferry service user add` has it. */
const longestName = 64;

const window = 600_000;
/** Wrong passwords of one name from one address, and of all names from one, within the window. Behind a proxy no address is known. */
const most = { ofName: 5, ofPeer: 20 };
/** How many wait for their turn: each takes 128 MiB and half a second, so they come one by one. */
const mostWaiting = 16;

export function makePasswords({
  store,
  clock,
  random,
}: {
  readonly store: Pick<Store, "accounts" | "keys">;
  readonly clock: Clock;
  readonly random: Host["random"];
}): Passwords {
  const ofName = makeFailures(most.ofName, window, clock);
  const ofPeer = makeFailures(most.ofPeer, window, clock);
  const nobodys = noPassword(random);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function compare(given: Given, peer: string | undefined): Promise<Awaited<ReturnType<Passwords["check"]>>> {
    // A longer one is nobody's, and isn't kept for ten minutes.
    const name = given.name
      .trim()
      .toLowerCase()
      .slice(0, longestName + 1);
    const from = peer === undefined ? undefined : network(peer);
    const place = `${name} ${from ?? ""}`;
    const retryAfter = Math.max(ofName.wait(place), from === undefined ? 0 : ofPeer.wait(from));
    if (retryAfter > 0) return { retryAfter };
    const account = await store.accounts.find(name);
    // A name that nobody has takes as long as one that somebody has.
    const isRight = await isPassword(given.password, account?.password ?? nobodys);
    if (isRight && account !== undefined) {
      ofName.forget(place);
      return store.keys.findUser(account.user_id);
    }
    ofName.add(place);
    if (from !== undefined) ofPeer.add(from);
    return undefined;
  }

  return {
    async check(given, peer) {
      if (waiting >= mostWaiting) return { retryAfter: 10 };
      waiting += 1;
      const mine = last.then(() => compare(given, peer));
      last = mine.catch(() => undefined);
      return mine.finally(() => void (waiting -= 1));
    },
  };
}

/** Who has an IPv6 address has 2^64 of them (RFC 6177, 2): the first half says whose they are. */
function network(peer: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/iu.exec(peer) ?? [];
  if (mapped !== undefined || !peer.includes(":")) return mapped ?? peer;
  const [head = [], tail] = peer.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(tail ?? [])].slice(0, 4).join(":");
}
