import type { CreateElicitationRequest, CreateElicitationResponse, ElicitationContentValue } from "@agentclientprotocol/sdk";
import { type Fields, fieldsOf, listIn, numberIn, textIn } from "../reducer/fields.ts";
import { type Ask, type Option, optionNamed } from "./question.ts";

const yesAndNo: readonly Option[] = [
  { id: "yes", name: "Yes" },
  { id: "no", name: "No" },
];

/**
 * Asks the user what an agent's form asks, field after field, and gives the form filled in. A form is a flat JSON schema (ACP,
 * elicitation). What isn't a form is declined: an address to open isn't ferry's to open.
 */
export async function fillIn(request: CreateElicitationRequest, ask: Ask): Promise<CreateElicitationResponse> {
  if (request.mode !== "form") return { action: "decline" };
  const properties = fieldsOf(fieldsOf(request["requestedSchema"])["properties"]);
  const names = Object.keys(properties).filter((name) => !isOwnWords(name, properties));
  if (names.length === 0) {
    const reply = await ask({ question: request.message, options: yesAndNo });
    if (reply === undefined) return { action: "cancel" };
    return /^(1|y|yes|ok)$/iu.test(reply.trim()) ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content: Record<string, ElicitationContentValue> = {};
  for (const name of names) {
    const field = fieldsOf(properties[name]);
    const options = optionsOf(field);
    const reply = await ask({ question: wording(request.message, field, names.length === 1), options });
    if (reply === undefined) return { action: "cancel" };
    const [key, value] = answerOf(name, field, properties, reply);
    if (value !== undefined) content[key] = value;
  }
  return { action: "accept", content };
}

const ownWords = (name: string): string => `${name}_custom`;

/** Claude's adapter puts a field for words of one's own beside each choice. */
function isOwnWords(name: string, properties: Fields): boolean {
  return name.endsWith("_custom") && name.slice(0, -"_custom".length) in properties;
}

function wording(message: string, field: Fields, alone: boolean): string {
  const about = textIn(field, "description", "title");
  if (alone) return message === "" ? about : message;
  return about === "" ? message : about;
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

/** The field that the reply fills, and its value; undefined where the reply is nothing that it can hold. */
function answerOf(
  name: string,
  field: Fields,
  properties: Fields,
  reply: string,
): readonly [string, ElicitationContentValue | undefined] {
  const options = optionsOf(field);
  if (field["type"] === "boolean") return [name, /^(1|y|yes|true|ok)$/iu.test(reply.trim())];
  if (field["type"] === "number" || field["type"] === "integer") return [name, numberIn({ value: Number(reply) }, "value")];
  if (options.length === 0) return [name, reply];
  const parts = field["type"] === "array" ? reply.split(",") : [reply];
  const chosen = parts.map((part) => optionNamed(options, part)?.id);
  const known = chosen.filter((id) => id !== undefined);
  if (known.length < chosen.length) return ownWords(name) in properties ? [ownWords(name), reply] : [name, undefined];
  return [name, field["type"] === "array" ? known : known[0]];
}
