import { z } from "zod";
import { sessionEvent } from "./event.ts";
import { manifest, uncommitted } from "./patches.ts";
import * as resources from "./resources.ts";
import type { routes, RouteName } from "./routes.ts";
import * as schedules from "./schedules.ts";
import { eventTypes, sessionStatuses } from "./values.ts";

/** What an operation takes and answers. `answer` is the JSON form; other media are named in `media`. */
export interface Operation {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly answer: z.ZodType;
  readonly status: 200 | 201;
  readonly media?: readonly string[];
}

const wholeNumber = z.coerce.number().int();
const page = z.strictObject({ cursor: z.string().optional(), limit: wholeNumber.min(1).max(200).optional() });

/** The collection envelope of the seed; `next_cursor` is "" on the last page. */
function listOf<T extends z.ZodType>(item: T) {
  return z.looseObject({ items: z.array(item), next_cursor: z.string() });
}

/** The schemas of every route. Handlers, client types and the OpenAPI document are all derived from it. */
export const contract = {
  createProvider: { summary: "Connect a code provider", body: resources.createProvider, answer: resources.provider, status: 201 },
  listProviders: { summary: "List code providers", query: page, answer: listOf(resources.provider), status: 200 },
  updateProvider: { summary: "Change a code provider", body: resources.updateProvider, answer: resources.provider, status: 200 },
  deleteProvider: { summary: "Delete a code provider", answer: resources.provider, status: 200 },

  createRepository: {
    summary: "Register a repository",
    body: resources.createRepository,
    answer: resources.repository,
    status: 201,
  },
  listRepositories: { summary: "List repositories", query: page, answer: listOf(resources.repository), status: 200 },
  readRepository: { summary: "Read a repository", answer: resources.repository, status: 200 },
  updateRepository: {
    summary: "Enable or disable a repository",
    body: resources.updateRepository,
    answer: resources.repository,
    status: 200,
  },
  deleteRepository: { summary: "Delete a repository", answer: resources.repository, status: 200 },
  analyzeRepository: { summary: "Start an analysis", answer: resources.started, status: 200 },
  readAnalysis: { summary: "Read the latest analysis", answer: resources.analysis, status: 200 },

  createSession: { summary: "Start a session", body: resources.createSession, answer: resources.session, status: 201 },
  listSessions: {
    summary: "List sessions",
    query: page.extend({
      status: z.enum(sessionStatuses).optional(),
      user_id: z.string().optional(),
      include: z.string().optional(),
    }),
    answer: listOf(resources.session),
    status: 200,
  },
  readSession: { summary: "Read a session", answer: resources.session, status: 200 },
  updateSession: { summary: "Change a session", body: resources.updateSession, answer: resources.session, status: 200 },
  readEvents: {
    summary: "Read the timeline, or follow it",
    query: z.strictObject({
      after: wholeNumber.min(0).optional(),
      limit: wholeNumber.min(1).max(1000).optional(),
      type: z.enum(eventTypes).optional(),
    }),
    answer: z.array(sessionEvent),
    status: 200,
    media: ["text/event-stream"],
  },
  sendMessage: { summary: "Send a message to the agent", body: resources.sendMessage, answer: sessionEvent, status: 201 },

  readCli: { summary: "Who the key is, and what this service can do", answer: resources.cliInfo, status: 200 },
  cancelSession: { summary: "Stop the running turn", body: resources.cancelSession, answer: resources.session, status: 200 },
  closeSession: { summary: "End a session", body: resources.closeSession, answer: resources.session, status: 200 },
  readPatches: {
    summary: "The session's commits: manifest, mbox or bundle",
    query: z.strictObject({
      repository_id: z.string().optional(),
      after: resources.commitId.optional(),
      until: resources.commitId.optional(),
      cursor: z.string().optional(),
    }),
    answer: manifest,
    status: 200,
    media: ["application/mbox", "application/x-git-bundle"],
  },
  readUncommitted: { summary: "What is not committed in the sandbox yet", answer: uncommitted, status: 200 },

  listKeys: { summary: "List API keys", query: page, answer: listOf(resources.apiKey), status: 200 },
  createKey: {
    summary: "Create an API key; its secret is shown this once",
    body: resources.createKey,
    answer: resources.createdKey,
    status: 201,
  },
  revokeKey: { summary: "Revoke an API key", answer: resources.apiKey, status: 200 },

  listSchedules: { summary: "List scheduled agents", query: page, answer: listOf(schedules.schedule), status: 200 },
  createSchedule: {
    summary: "Schedule an agent",
    body: schedules.createSchedule,
    answer: schedules.schedule,
    status: 201,
  },
  readSchedule: { summary: "Read a scheduled agent", answer: schedules.schedule, status: 200 },
  updateSchedule: {
    summary: "Change a scheduled agent",
    body: schedules.updateSchedule,
    answer: schedules.schedule,
    status: 200,
  },
  deleteSchedule: { summary: "Delete a scheduled agent", answer: schedules.schedule, status: 200 },
  runSchedule: { summary: "Run a scheduled agent now", answer: schedules.scheduleRun, status: 201 },
  listScheduleRuns: {
    summary: "List the runs of a scheduled agent, newest first",
    query: page,
    answer: listOf(schedules.scheduleRun),
    status: 200,
  },
} as const satisfies Record<RouteName, Operation>;

type ParamsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsIn<Rest> : never;

/** The names of a route's path parameters. */
export type ParamsOf<R extends RouteName> = Readonly<Record<ParamsIn<(typeof routes)[R]["path"]>, string>>;
/** What a caller may put into the query. */
export type QueryOf<R extends RouteName> = (typeof contract)[R] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : object;
/** What a caller sends. */
export type BodyOf<R extends RouteName> = (typeof contract)[R] extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : undefined;
/** What a handler receives: the body with its defaults in place. */
export type ParsedBodyOf<R extends RouteName> = (typeof contract)[R] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;
/** What the service answers as JSON. */
export type AnswerOf<R extends RouteName> = z.output<(typeof contract)[R]["answer"]>;
