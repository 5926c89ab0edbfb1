import type { Tolerant } from "../../client/tolerant.ts";
import { FerryError } from "../../base/errors.ts";
import type { SessionEvent } from "../../wire/event.ts";
import type { Context } from "../context.ts";
import type { OpenSession } from "./session.ts";

export type KnownEvent = Tolerant<SessionEvent>;
