import { expect } from "vitest";
import { type AnswerOf, type BodyOf, contract, type ParamsOf } from "../../src/wire/contract.ts";
import { simpleProblem, structuredProblem } from "../../src/wire/problem.ts";
import { type RouteName, routePath, routes } from "../../src/wire/routes.ts";
import type { TestService } from "./service.ts";

export interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** JSON, or text that is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another key than the service's own; "" for none. */
  readonly key?: string;
}

/** What came back; `body` is the parsed JSON, "" where there is none. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export type AskService = (name: RouteName, ask?: Ask) => Promise<Reply>;

/** Calls of a service whose answers are all checked: a good one against the contract, a refusal against the error shapes. */
export function makeAsk({ app, key }: Pick<TestService, "app" | "key">): AskService {
  return async (name, ask = {}) => {
    const response = await app(makeRequest(name, { key, ...ask }));
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    const body: unknown = isJson ? JSON.parse(text) : text;
    if (isJson) checkShape(name, response.status, body);
    return { status: response.status, headers: response.headers, body };
  };
}

/** The same, for calls that must succeed: gives the answer. */
export async function must<R extends RouteName>(
  ask: AskService,
  name: R,
  given: Omit<Ask, "params" | "body"> & { params?: ParamsOf<R>; body?: BodyOf<R> } = {},
): Promise<AnswerOf<R>> {
  const { status, body } = await ask(name, given);
  expect({ status, body }).toMatchObject({ status: contract[name].status });
  return body as AnswerOf<R>;
}

/** The request of an operation, as a client makes it. */
export function makeRequest(name: RouteName, { params, query, body, headers, key = "" }: Ask): Request {
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  return new Request(`http://service.test${routePath(name, params, query)}`, {
    method: routes[name].method,
    headers: {
      ...(key !== "" && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...sent,
  });
}

const structuredStatuses = [400, 409, 422];

function checkShape(name: RouteName, status: number, body: unknown): void {
  if (status < 300) {
    contract[name].answer.parse(body);
    return;
  }
  if (structuredStatuses.includes(status)) expect(structuredProblem.strict().parse(body).statusCode).toBe(status);
  else simpleProblem.strict().parse(body);
}
