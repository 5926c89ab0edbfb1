import { FerryError, NoAnswerError } from "../../base/errors.ts";
import type { Clock, SendResponse } from "../../host/host.ts";
import { parseShallow, unexpected } from "./json.ts";

/** What is held in memory of one answer, in bytes; larger things are streams. */
const bodyLimit = 64 * 1024 * 1024;

/** How long a whole answer may take to come, in ms: one that drips is never silent, and would have no end. */
const patience = 120_000;

/**
 * The whole body of an answer; an error calls it `what`.
 * @throws FerryError unavailable where it is larger than `limit` bytes or takes longer than `within` ms; the rest is not read
 */
export async function readBody(
  response: SendResponse,
  clock: Clock,
  { limit = bodyLimit, within = patience, what = "the answer" } = {},
): Promise<Uint8Array> {
  const done = new AbortController();
  try {
    return await Promise.race([collect(response, limit, what), timeUp(clock, within, what, done.signal)]);
  } catch (error) {
    await response.cancel();
    throw error;
  } finally {
    done.abort();
  }
}

/** The least that has to come of an answer in that time, in bytes. */
const least = 16 * 1024;

/**
 * The body of an answer that may be of any length, as it comes.
 * @throws FerryError unavailable where it drips: never silent, and without end
 */
export async function* steadily({ body }: SendResponse, clock: Clock): AsyncGenerator<Uint8Array> {
  let [waited, size] = [0, 0];
  let asked = clock.elapsed();
  for await (const chunk of body) {
    // Only the line's own time: what its reader takes is none of its fault.
    waited += clock.elapsed() - asked;
    size += chunk.length;
    if (waited > patience) {
      if (size < least)
        throw new FerryError("unavailable", `the answer only drips: ${size} bytes in ${Math.round(waited / 1000)} s`, {
          hint: "try again later",
        });
      [waited, size] = [0, 0];
    }
    yield chunk;
    asked = clock.elapsed();
  }
}

async function collect({ body }: SendResponse, limit: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new FerryError("unavailable", `${what} is larger than ${sizeOf(limit)}`, { code: unexpected });
    chunks.push(chunk);
  }
  return joined(chunks, size);
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / 1024 / 1024)} MiB`;
}

async function timeUp(clock: Clock, within: number, what: string, done: AbortSignal): Promise<never> {
  await clock.sleep(within, done);
  throw new NoAnswerError(`${what} has not come whole in ${within / 1000} s`, { sent: true, hint: "try again later" });
}

/**
 * A body as JSON; undefined for an empty one.
 * @throws FerryError unavailable where it is something else, such as a proxy's web page, or nested too deep
 */
export function parseJson(
  body: Uint8Array,
  { headers }: SendResponse,
  host: string,
  parse: (text: string) => unknown = parseShallow,
): unknown {
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof FerryError) throw error;
    // Without the parser's own words, which quote what may be a key.
    const page = isPage(text, headers["content-type"]);
    throw new FerryError("unavailable", `${host} answered with ${page ? "a web page" : "something that is no JSON"}`, {
      hint: page ? "is a proxy or a sign-in page in the way? check the host's address" : "check the host's address",
      code: unexpected,
    });
  }
}

/** Whether a content type is a web page's. */
export function isHtml(type: string | null | undefined): boolean {
  return /\bhtml\b/i.test(type ?? "");
}

function isPage(text: string, type = ""): boolean {
  return isHtml(type) || /^\s*<(!doctype|html)/i.test(text);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
