import { NoAnswerError } from "../../src/base/errors.ts";
import type { Send, SendRequest, SendResponse } from "../../src/host/host.ts";

/** What is answered to one request; what is expected of it is looked at by the test in `asked`. */
export interface Step {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** No answer; whether the request may have arrived. */
  readonly lost?: { readonly sent: boolean };
  /** The body breaks off. */
  readonly cut?: boolean;
}

export interface ScriptedSend {
  readonly send: Send;
  readonly asked: SendRequest[];
  /** How many answers were neither read to the end nor cancelled. */
  readonly open: () => number;
}

/** A transport that plays its steps, and fails for a request beyond them. */
export function makeScriptedSend(...steps: readonly Step[]): ScriptedSend {
  const asked: SendRequest[] = [];
  let open = 0;
  return {
    asked,
    open: () => open,
    send: async (request) => {
      const step = steps[asked.length];
      asked.push(request);
      if (step === undefined) throw new Error(`nobody expected ${request.method} ${request.url}`);
      if (step.lost !== undefined) throw new NoAnswerError("lost", { ...step.lost, code: "ECONNRESET" });
      open += 1;
      return answer(step, () => (open -= 1));
    },
  };
}

function answer({ status = 200, headers = {}, body = "", cut = false }: Step, close: () => void): SendResponse {
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  let closed = false;
  const end = () => {
    if (!closed) close();
    closed = true;
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield bytes.subarray(0, cut ? bytes.length / 2 : bytes.length);
      if (cut) throw new NoAnswerError("cut", { sent: true, code: "ECONNRESET" });
    } finally {
      end();
    }
  }
  const type: Record<string, string> = isText ? {} : { "content-type": "application/json" };
  return { status, headers: { ...type, ...headers }, body: read(), cancel: async () => end() };
}
