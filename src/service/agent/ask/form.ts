import type { CreateElicitationRequest, CreateElicitationResponse, ElicitationContentValue } from "@agentclientprotocol/sdk";
import { oneLine } from "../../../base/text.ts";
import { type Fields, fieldsOf, listIn, numberIn, textIn } from "../reducer/fields.ts";
import { type Ask, type Option, optionNamed, type Question } from "./question.ts";

const yesAndNo: readonly Option[] = [
  { id: "yes", name: "Yes" },
  { id: "no", name: "No" },
];

/** How often a field is asked for: a form may want what nobody can give. */
const tries = 3;

/**
 * Asks the user what an agent's form asks, field after field, and gives the form filled in. A form is a flat JSON schema (ACP,
 * elicitation). A reply that a field can't hold is asked for again, and said; a form that stays without a required field is declined.
 * What isn't a form is declined: an address to open isn't ferry's to open.
 */
export async function fillIn(request: CreateElicitationRequest, ask: Ask): Promise<CreateElicitationResponse> {
  if (request.mode !== "form") return { action: "decline" };
  const form = formOf(fieldsOf(request["requestedSchema"]));
  if (form.names.length === 0) {
    const agreed = await insist(ask, { question: request.message, options: yesAndNo, otherwise: "this is a no" }, agreedTo);
    if (agreed === undefined) return { action: "cancel" };
    return agreed === true ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content = new Map<string, ElicitationContentValue>();
  for (const name of form.names) {
    const field = fieldsOf(form.properties[name]);
    const required = form.required.has(name);
    const asked = {
      question: wording(request.message, name, field, form.names.length === 1),
      options: optionsOf(field),
      otherwise: required ? "the form is declined" : "this is left empty",
    };
    const filled = await insist(ask, asked, (reply) => answerOf(name, form, reply));
    if (filled === undefined) return { action: "cancel" };
    if (!(filled instanceof Misfit)) content.set(...filled);
    else if (required) return { action: "decline" };
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

interface Form {
  readonly properties: Fields;
  /** Those that are asked for. */
  readonly names: readonly string[];
  readonly required: ReadonlySet<string>;
}

/** What is required and described nowhere is a text like any other. */
function formOf(schema: Fields): Form {
  const properties = fieldsOf(schema["properties"]);
  const required = new Set(listIn(schema, "required").filter((name) => typeof name === "string"));
  const asked = Object.keys(properties).filter((name) => required.has(name) || !isOwnWords(name, properties));
  return { properties, names: [...new Set([...asked, ...required])], required };
}

const ownWords = (name: string): string => `${name}_custom`;

/** Claude's adapter puts a field for words of one's own beside each choice. */
function isOwnWords(name: string, properties: Fields): boolean {
  return name.endsWith("_custom") && Object.hasOwn(properties, name.slice(0, -"_custom".length));
}

/**
 * The form's own words and the field's, each once; the field's name only where nothing else tells what is asked. A title whose words
 * the message has already adds nothing: Claude's header of "Which colour?" is "Colour".
 */
function wording(message: string, name: string, field: Fields, alone: boolean): string {
  const told = wordsOf(message);
  const about = [textIn(field, "title"), textIn(field, "description")].filter(
    (part) => part !== "" && !told.includes(wordsOf(part)),
  );
  if (about.length === 0 && !(alone && message !== "")) about.push(name);
  return [message, [...new Set(about)].join(": ")].filter(Boolean).join("\n");
}

/** The words alone, with a space before and behind each. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `;
}

/** Why a reply isn't what was asked for. */
class Misfit {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

interface Insisting extends Question {
  /** What follows where no reply fits. */
  readonly otherwise: string;
}

/** Asks until a reply fits, and says what didn't; the last misfit where none does, undefined where the turn was stopped. */
async function insist<T>(ask: Ask, { otherwise, ...asked }: Insisting, read: (reply: string) => T | Misfit) {
  let { question } = asked;
  for (let left = tries - 1; ; left--) {
    const reply = await ask({ ...asked, question });
    if (reply === undefined) return undefined;
    const value = read(reply);
    if (!(value instanceof Misfit) || left === 0) return value;
    const last = left === 1 ? ` (once more, and ${otherwise})` : "";
    question = `${value.why}${last}\n${asked.question}`;
  }
}

function optionsOf(field: Fields): Option[] {
  if (field["type"] === "boolean") return [...yesAndNo];
  const items = fieldsOf(field["items"]);
  const titled = [...listIn(field, "oneOf"), ...listIn(items, "anyOf"), ...listIn(items, "oneOf")].map(fieldsOf);
  if (titled.length > 0) return titled.map(titledOption);
  const plain = [...listIn(field, "enum"), ...listIn(items, "enum")].filter((value) => typeof value === "string");
  return plain.map((value) => ({ id: value, name: value }));
}

/** A title of the form `<value> — <what it is>` is those two. */
function titledOption(option: Fields): Option {
  const id = textIn(option, "const");
  const title = textIn(option, "title") || id;
  const said = title.startsWith(`${id} — `) ? title.slice(id.length + 3) : "";
  const description = textIn(option, "description") || said;
  return { id, name: said === "" ? title : id, ...(description !== "" && { description }) };
}

/** The field that the reply fills, and its value. */
function answerOf(name: string, { properties, required }: Form, reply: string): [string, ElicitationContentValue] | Misfit {
  const field = fieldsOf(properties[name]);
  const value = valueOf(field, reply);
  const mayBeOwn = Object.hasOwn(properties, ownWords(name)) && !required.has(name);
  if (value instanceof Misfit) return mayBeOwn ? [ownWords(name), reply] : value;
  return [name, value];
}

function valueOf(field: Fields, reply: string): ElicitationContentValue | Misfit {
  if (field["type"] === "boolean") return agreedTo(reply);
  if (field["type"] === "number" || field["type"] === "integer") return numberOf(field, reply);
  const options = optionsOf(field);
  if (field["type"] === "array") return choicesOf(field, options, reply);
  if (options.length > 0) return optionNamed(options, reply)?.id ?? notAmong(reply);
  const { length } = Array.from(reply);
  const [least = 0, most = Infinity] = [numberIn(field, "minLength"), numberIn(field, "maxLength")];
  return length < least || length > most ? new Misfit(`that has ${length} characters, of ${range(least, most)}`) : reply;
}

function agreedTo(reply: string): boolean | Misfit {
  if (/^\s*(1|y|yes|true|ok)\s*$/iu.test(reply)) return true;
  return /^\s*(2|n|no|false)\b/iu.test(reply) ? false : new Misfit(`${quoted(reply)} is neither yes nor no`);
}

function numberOf(field: Fields, reply: string): number | Misfit {
  const value = reply.trim() === "" ? NaN : Number(reply);
  const whole = field["type"] === "integer";
  if (!(whole ? Number.isSafeInteger(value) : Number.isFinite(value)))
    return new Misfit(`${quoted(reply)} is no ${whole ? "whole number" : "number"}`);
  const [least = -Infinity, most = Infinity] = [numberIn(field, "minimum"), numberIn(field, "maximum")];
  return value < least || value > most ? new Misfit(`${value} isn't ${range(least, most)}`) : value;
}

function choicesOf(field: Fields, options: readonly Option[], reply: string): string[] | Misfit {
  const parts = reply.split(",").map((part) => part.trim());
  const chosen = options.length === 0 ? parts : parts.map((part) => optionNamed(options, part)?.id);
  const unknown = parts[chosen.indexOf(undefined)];
  if (unknown !== undefined) return notAmong(unknown);
  const known = [...new Set(chosen.filter((id) => id !== undefined))];
  const [least = 0, most = Infinity] = [numberIn(field, "minItems"), numberIn(field, "maxItems")];
  return known.length < least || known.length > most ? new Misfit(`that is ${known.length}, of ${range(least, most)}`) : known;
}

function notAmong(reply: string): Misfit {
  return new Misfit(`${quoted(reply)} is none of the options`);
}

function quoted(reply: string): string {
  const text = oneLine(reply.trim());
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

function range(least: number, most: number): string {
  if (most === Infinity) return `${least} or more`;
  return least === -Infinity || least === 0 ? `${most} at most` : `${least} to ${most}`;
}
