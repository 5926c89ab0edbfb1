import { FerryError } from "../../../base/errors.ts";
import { typedId } from "../../../base/ids.ts";
import { count } from "../../../base/text.ts";
import type { Host } from "../../../host/host.ts";
import { sessionsInTurn } from "../../flows/local/busy.ts";
import { findLocal, findSilent, type LocalService } from "../../flows/local/find.ts";
import { stopLocal } from "../../flows/local/start.ts";
import type { Verb } from "../../verb.ts";
import { addData, withData } from "./options.ts";

export const stop: Verb = {
  name: "stop",
  summary: "Stop the embedded service",
  answer: ["running", "stopped"],
  description:
    "Stop the embedded service. Messages that wait go on when it starts again. A turn at work would be cut short, and told so in its timeline: then this is refused without --yes.",
  examples: ["ferry service stop", "ferry service stop --yes"],
  define: (command) => void addData(command),
  async run(given, options: { readonly data?: string }) {
    const { host, print, global } = withData(given, options.data);
    const announced = await findLocal(host);
    const service = announced ?? (await findSilent(host));
    if (service !== undefined) {
      if (!global.yes) await (announced === undefined ? refuseUnasked(service) : refuseInTurn(host, announced));
      await stopLocal(host, service);
    }
    if (global.json) await print.json({ running: false, stopped: service?.pid ?? null });
    await print.note(
      service === undefined ? "the embedded service doesn't run" : `the embedded service (process ${service.pid}) has stopped`,
    );
  },
};

async function refuseUnasked({ pid }: { readonly pid: number }): Promise<never> {
  throw new FerryError("attention", `the embedded service (process ${pid}) runs, but can't be asked whether a turn is at work`, {
    hint: "its service.json is gone or damaged: stop it all the same with --yes",
  });
}

/** @throws FerryError attention with the sessions whose turn would be lost, where there are any */
export async function refuseInTurn(host: Host, service: LocalService): Promise<void> {
  const sessions = await sessionsInTurn(host, service);
  if (sessions.length === 0) return;
  const waiting = sessions.filter(({ agent_status }) => agent_status === "waiting_for_user").length;
  const working = sessions.length - waiting;
  const states = [
    ...(working > 0 ? [count(working, "session is", "sessions are") + " at work"] : []),
    ...(waiting > 0 ? [count(waiting, "session waits", "sessions wait") + " for you"] : []),
  ];
  const ways = [
    ...(working > 0 ? ["wait for them (ferry session wait SESSION)"] : []),
    ...(waiting > 0 ? ["answer what is asked (ferry say --session SESSION TEXT)"] : []),
  ];
  throw new FerryError("attention", `${states.join(" and ")}, and would be cut short`, {
    details: sessions.map(({ id, title }) => [typedId(id), title].filter(Boolean).join("\t")),
    hint: `${ways.join(", ")}, or do it all the same with --yes`,
  });
}
