import { InvalidArgumentError } from "commander";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { type Scope, scopes as known } from "../../../wire/values.ts";
import { duration, list } from "../../options.ts";
import type { Context } from "../../context.ts";
import { mayHaveArrived } from "../../flows/session/message.ts";
import type { Verb } from "../../verb.ts";
import { connectForKeys } from "./connect.ts";
import { checkWayOut, commandFor, handOver, madeFields, type MadeKey } from "./hand-over.ts";

interface Options {
  readonly scopes: readonly string[];
  /** In ms. */
  readonly expires?: number;
}

export const create: Verb = {
  name: "create",
  summary: "Make an API key; it is printed this once",
  answer: madeFields,
  description:
    "Make an API key, for a script or a CI job. The key is printed on stdout this once and kept nowhere: pipe it to where it belongs. It never has more scopes than your own.",
  examples: [
    "ferry key create nightly --scopes sessions:all,repositories:read --expires 90d | gh secret set FERRY_API_KEY",
    "ferry key create nightly --scopes sessions:read --json --show-secrets",
  ],
  define(command) {
    command
      .argument("<name>", "what to call it")
      .requiredOption("--scopes <list>", "what it may do, e.g. sessions:read,repositories:all", list)
      .option("--expires <duration>", "how long it works, e.g. 90d (default: until it is revoked)", lifetime);
  },
  async run(context, { scopes, expires }: Options, name: string) {
    checkWayOut(context);
    if (name.trim() === "") throw new FerryError("usage", "a key needs a name", { hint: "say what it is for, e.g. nightly" });
    const body = {
      name,
      scopes: scopes.map(checked),
      ...(expires !== undefined && { expires_at: after(context.host.clock.now() + expires) }),
    };
    const connection = await connectForKeys(context);
    await handOver(context, connection, await make(context, () => connection.client.createKey({ body })));
  },
};

/** Where its outcome isn't known there may be a key that nobody has. */
async function make(context: Context, call: () => Promise<MadeKey>): Promise<MadeKey> {
  const { interrupt } = context.host;
  interrupt.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    if (!interrupt.aborted && !mayHaveArrived(error)) throw error;
    const { kind, message, status, code, asked } = asFerryError(interrupt.aborted ? interrupt.reason : error);
    const hint = `a key that was made all the same is in: ${commandFor(context, "list")}`;
    throw new FerryError(kind, message, { hint, status, code, asked, cause: error });
  }
}

function lifetime(text: string): number {
  const time = duration(text);
  if (time === 0) throw new InvalidArgumentError("A key that never works is none.");
  return time;
}

function checked(scope: string): Scope {
  const found = known.find((one) => one === scope);
  if (found !== undefined) return found;
  throw new FerryError("usage", `there is no scope "${scope}"`, { hint: `one of: ${known.join(", ")}` });
}

function after(time: number): string {
  return new Date(time).toISOString();
}
