import { FerryError } from "../base/errors.ts";
import type { Clock } from "../host/host.ts";
import { isObject } from "./answers.ts";
import type { Calls } from "./calls.ts";
import { unexpected } from "./http/json.ts";
import type { Memory } from "./memory.ts";

const day = 24 * 3_600_000;

/**
 * The parts of our extension that a service has, remembered for a day; none for a service of the seed alone.
 * @throws FerryError what else than a plain "no" the service said
 */
export async function readCapabilities(
  readCli: Calls["readCli"],
  { memory, clock }: { readonly memory: Memory; readonly clock: Clock },
): Promise<ReadonlySet<string>> {
  const known = await memory.get("capabilities");
  if (isCurrent(known, clock.now())) return new Set(known.words);
  const words = (await readCliInfo(readCli))?.capabilities ?? [];
  await memory.set("capabilities", { words, until: clock.now() + day });
  return new Set(words);
}

/** A service without the extension doesn't know the address, or answers it with something of its own. */
export async function readCliInfo(readCli: Calls["readCli"]): Promise<Awaited<ReturnType<Calls["readCli"]>> | undefined> {
  try {
    return await readCli();
  } catch (error) {
    if (error instanceof FerryError && ([404, 405, 501].includes(error.status ?? 0) || error.code === unexpected))
      return undefined;
    throw error;
  }
}

interface Remembered {
  readonly words: readonly string[];
  readonly until: number;
}

function isCurrent(known: unknown, now: number): known is Remembered {
  if (!isObject(known) || !Array.isArray(known["words"]) || typeof known["until"] !== "number") return false;
  return now < known["until"] && known["until"] <= now + day;
}
