import type { SimpleProblem, StructuredProblem } from "../../wire/problem.ts";
import type { Problem } from "../problem.ts";

/** What a refused request could have been asked better, in the interface's structured shape; all else is simple. */
const structured: Readonly<Partial<Record<Problem["status"], string>>> = {
  400: "Bad Request",
  409: "Conflict",
  422: "Unprocessable Content",
};

export function problemAnswer({ status, code, message }: Problem): Response {
  const error = structured[status];
  if (error === undefined) return simpleAnswer(status, message, status === 401 ? { "www-authenticate": "Bearer" } : {});
  return jsonAnswer({ statusCode: status, code, error, message } satisfies StructuredProblem, status);
}

export function simpleAnswer(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonAnswer({ error } satisfies SimpleProblem, status, headers);
}

/** Nothing on the way may keep an answer: it is one user's, and soon another. */
export function jsonAnswer(value: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers },
  });
}

/** An array in JSON, of any length: no more of it is in memory than a page. */
export function arrayAnswer(pages: AsyncIterable<readonly unknown[]>, headers: Readonly<Record<string, string>> = {}): Response {
  const answer = streamAnswer(arrayText(pages), "application/json");
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

async function* arrayText(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<Uint8Array> {
  let before = "[";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield encoder.encode(before + page.map((item) => JSON.stringify(item)).join(","));
    before = ",";
  }
  yield encoder.encode(before === "[" ? "[]" : "]");
}

const encoder = new TextEncoder();

/** Bytes of another medium, taken from their source only as fast as the receiver reads. `end` is told when it left. */
export function streamAnswer(bytes: AsyncIterable<Uint8Array>, contentType: string, end: () => void = () => undefined): Response {
  const iterator = bytes[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        end();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = {
    "content-type": contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // nginx would hold back what is only a few bytes, such as an event.
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}
