import type { RequestError } from "@agentclientprotocol/sdk";
import { cut, oneLine } from "../../base/text.ts";
import { fieldsOf, textIn } from "./reducer/fields.ts";

/** Characters that are enough of a reason. */
const enough = 2000;

/** Why an agent refused a request: what it doesn't want to say it gives as an internal error, with the reason beside it. */
export function reasonOf({ message, data }: RequestError): string {
  const more = typeof data === "string" ? data : textIn(fieldsOf(data), "details", "message", "error");
  return cut(oneLine(message.includes(more) ? message : `${message}: ${more}`), enough);
}
