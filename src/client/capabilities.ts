import { FerryError } from "../base/errors.ts";
import { textsOf } from "../base/text.ts";
import type { Clock } from "../host/host.ts";
import { isObject } from "./answers.ts";
import type { Calls } from "./calls.ts";
import { unexpected } from "./http/json.ts";
import type { Memory } from "./memory.ts";

const day = 24 * 3_600_000;
/** "None" may be a gateway's word while the service begins anew, and keys that are to end can't wait for a day. */
const minute = 60_000;

/**
 * The parts of our extension that a service has, remembered for a day; none for a service of the seed alone, for a minute.
 * @throws FerryError what else than a plain "no" the service said
 */
export async function readCapabilities(
  readCli: Calls["readCli"],
  { memory, clock }: { readonly memory: Memory; readonly clock: Clock },
): Promise<ReadonlySet<string>> {
  const known = await memory.get("capabilities");
  if (isCurrent(known, clock.now())) return new Set(known.words);
  const remember = (words: readonly string[]) =>
    memory.set("capabilities", { words, until: clock.now() + (words.length === 0 ? minute : day) });
  try {
    const words = textsOf((await readCli()).capabilities);
    await remember(words);
    return new Set(words);
  } catch (error) {
    if (!isNone(error)) throw error;
    if (isLasting(error)) await remember([]);
    return new Set();
  }
}

/** Undefined of a service without the extension. @throws FerryError as readCapabilities */
export async function readCliInfo(readCli: Calls["readCli"]): Promise<Awaited<ReturnType<Calls["readCli"]>> | undefined> {
  try {
    return await readCli();
  } catch (error) {
    if (isNone(error)) return undefined;
    throw error;
  }
}

/** What says something of the key, or of this moment alone; the service's own trouble (5xx) does, too. */
const toTheKey: readonly number[] = [401, 403, 408, 425, 429];

/**
 * A service without the extension doesn't know the address, answers it with something of its own, sends us elsewhere, or refuses it by
 * whatever it says to what it doesn't know.
 */
function isNone(error: unknown): error is FerryError {
  if (!(error instanceof FerryError)) return false;
  const { status = 0 } = error;
  return isLasting(error) || (status >= 300 && status < 500 && !toTheKey.includes(status));
}

/** Whether that is so a moment later, too. */
function isLasting({ status = 0, code }: FerryError): boolean {
  return [404, 405, 501].includes(status) || code === unexpected;
}

interface Remembered {
  readonly words: readonly string[];
  readonly until: number;
}

function isCurrent(known: unknown, now: number): known is Remembered {
  if (!isObject(known) || !Array.isArray(known["words"]) || typeof known["until"] !== "number") return false;
  return now < known["until"] && known["until"] <= now + day;
}
