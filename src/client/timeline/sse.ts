import { FerryError } from "../../base/errors.ts";

/** One message of a server-sent event stream (WHATWG HTML, 9.2). */
export interface SseMessage {
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
  /** Only where this very message has one. */
  readonly id: string | undefined;
}

/** What one message may hold, in characters: an event with a whole diff in it is fine, an endless line is not. */
const messageLimit = 64 * 1024 * 1024;

/**
 * The messages of a stream, however its bytes are cut. Comments are dropped, as is a message that the end cuts off.
 * @throws FerryError unavailable for a message without end
 */
export async function* parseSse(chunks: AsyncIterable<Uint8Array>, limit = messageLimit): AsyncGenerator<SseMessage> {
  let message = emptyMessage();
  for await (const line of lines(chunks, limit)) {
    if (line !== "") {
      message = withLine(message, line);
      if (message.size > limit) throw tooLong();
      continue;
    }
    if (message.data.length > 0) yield { event: message.event || "message", data: message.data.join("\n"), id: message.id };
    message = emptyMessage();
  }
}

interface Draft {
  readonly event: string;
  readonly data: string[];
  readonly id: string | undefined;
  readonly size: number;
}

function emptyMessage(): Draft {
  return { event: "", data: [], id: undefined, size: 0 };
}

function withLine(draft: Draft, line: string): Draft {
  const colon = line.indexOf(":");
  if (colon === 0) return draft;
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  if (field === "data") {
    draft.data.push(value);
    // An empty line takes memory, too.
    return { ...draft, size: draft.size + value.length + 1 };
  }
  if (field === "event") return { ...draft, event: value };
  if (field === "id" && !value.includes("\0")) return { ...draft, id: value };
  return draft;
}

/** Lines end with CRLF, LF or CR. A line that spans many chunks is joined once, so that a long one costs no square. */
async function* lines(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let size = 0;
  let afterReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\n|\r/);
    parts.push(first);
    size += first.length;
    for (const next of rest) {
      yield parts.join("");
      parts = [next];
      size = next.length;
    }
    if (size > limit) throw tooLong();
  }
}

function tooLong(): FerryError {
  return new FerryError("unavailable", "the stream has a message without end");
}
