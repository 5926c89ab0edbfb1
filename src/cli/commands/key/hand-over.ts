import { asFerryError, FerryError } from "../../../base/errors.ts";
import { oneLine, wellFormedJson } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { faultOf } from "../../../client/http/key.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { hostArgument } from "../../flows/host/argument.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { kindNow } from "../../flows/interrupted.ts";
import { pick } from "../../output/json.ts";
import type { KnownKey } from "./columns.ts";

/** What a service answers that made a key: nobody has checked the secret yet. */
export type MadeKey = KnownKey & { readonly secret?: unknown };

/** The names in its JSON. */
export const madeFields = [...fields.apiKey, "secret"];

/**
 * What would lose a new key is refused before it is made.
 * @throws FerryError usage where the output has no place for it, or goes nowhere
 */
export function checkWayOut({ global, host }: Context): void {
  // Cut from the JSON, the key would be gone for good.
  if (global.json && !global.showSecrets)
    throw new FerryError("usage", "with --json the new key would be cut and lost", { hint: "add --show-secrets" });
  if (global.fields?.includes("secret") === false)
    throw new FerryError("usage", "with these --fields the new key would be left out and lost", { hint: "add secret to them" });
  if (host.terminal.discards())
    throw new FerryError("usage", "standard output is closed or thrown away: the new key would be lost", {
      hint: "pipe it to where it belongs",
    });
}

/**
 * Prints a new key, this once. One that doesn't get out is ended: nobody has it, and nobody would look for it.
 * @throws FerryError by what was in the way
 */
export async function handOver(context: Context, connection: Connection, made: MadeKey): Promise<void> {
  const { print, global } = context;
  const called = `${oneLine(made.name ?? made.id)} (${oneLine(made.id)})`;
  try {
    const secret = checkedSecret(made);
    if (await isLeftOut(context, made, secret))
      throw new FerryError("usage", "--jq left the new key out", { hint: "it is in .secret" });
    if (global.json) await print.json(made, madeFields);
    else await print.data(`${secret}\n`);
  } catch (error) {
    // Also that nobody reads the output any more, which is no failure elsewhere.
    const { kind, message, hint } = asFerryError(error);
    if (await isEnded(connection, made.id))
      throw new FerryError(kind, `${message}; so the key ${called} is revoked`, { hint, cause: error });
    const remedy = commandFor(context, `revoke ${shellWord(made.id)}`);
    throw new FerryError(kindNow(kind, context.host.interrupt), `${message}; the key ${called} was made and is lost`, {
      hint: remedy,
      cause: error,
    });
  }
  await print.note(`the key ${called} is shown this once`);
}

/** A command that asks the same service. */
export function commandFor(context: Context, words: string): string {
  return `ferry key ${words}${hostArgument(context)}`;
}

function checkedSecret({ secret }: MadeKey): string {
  if (typeof secret !== "string") throw new FerryError("unavailable", "the service made a key and did not tell it");
  const fault = faultOf(secret);
  if (fault === undefined) return secret;
  throw new FerryError("unavailable", `the service made a key that can be none: it ${fault}`);
}

/** Whether --jq makes the same of a key whatever its secret is. One that fails is for the printer to tell. */
async function isLeftOut({ global, host }: Context, made: MadeKey, secret: string): Promise<boolean> {
  const { jq: expression } = global;
  if (expression === undefined) return false;
  const { applyJq } = await import("../../output/jq.ts");
  const other = Array.from(secret, (char, at) => (at % 2 === 0 ? char : char === "x" ? "y" : "x")).join("");
  const outputs = [];
  for (const value of [secret, other]) {
    const shown = { ...made, secret: value };
    const json = JSON.stringify(global.fields === undefined ? shown : pick(shown, global.fields, madeFields));
    outputs.push(await applyJq(expression, wellFormedJson(json), { indented: false, jq: host.jq, interrupt: host.interrupt }));
  }
  const [one, two] = outputs;
  return one?.failure === undefined && two?.failure === undefined && one?.text === two?.text;
}

/** How long its end may take, in ms. */
const patience = 5000;

async function isEnded(connection: Connection, keyId: string): Promise<boolean> {
  try {
    await connection.lastCalls(patience).revokeKey({ params: { keyId } });
    return true;
  } catch {
    return false;
  }
}
