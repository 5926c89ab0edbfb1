import { schedules } from "../schedule/handlers.ts";
import { cli } from "./cli.ts";
import { events } from "./events.ts";
import type { Handlers } from "./handler.ts";
import { keys } from "./keys.ts";
import { patches } from "./patches.ts";
import { providers } from "./providers.ts";
import { repositories } from "./repositories.ts";
import { sessions } from "./sessions.ts";

/** Every operation of the interface; one that is missing does not compile. */
export const handlers = {
  ...providers,
  ...repositories,
  ...sessions,
  ...events,
  ...patches,
  ...cli,
  ...keys,
  ...schedules,
} satisfies Handlers;
