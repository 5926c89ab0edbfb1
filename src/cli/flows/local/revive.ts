import { join } from "node:path";
import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import type { Send } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { findLocal, type LocalService } from "./find.ts";
import { ensureLocal } from "./start.ts";

/** Between a service that goes and a newer one that takes its place, in ms. */
const handover = 3000;
const pause = 100;

/**
 * Requests to the embedded service that outlive it, for a command that runs as long as an agent works: where it crashed, it is
 * started again, as by the next command; where a newer one took its place, that is asked.
 * @throws from a request: FerryError unavailable, code `gone`, where the service was stopped, which is not ours to undo
 */
export function sendToLocal(context: Context, service: LocalService): Send {
  const { network } = context.host;
  let send = network.overSocket(service.socket);
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      // What may have arrived is the caller's to judge.
      if (!(error instanceof NoAnswerError) || error.sent) throw error;
      send = network.overSocket((await findAgain(context)).socket);
      return send(request);
    }
  };
}

async function findAgain(context: Context): Promise<LocalService> {
  const { host } = context;
  const deadline = host.clock.elapsed() + handover;
  do {
    const running = await findLocal(host);
    if (running !== undefined) return running;
    // One that ends in order takes the file with it.
    if ((await host.files.status(join(findFolders(host).data, "service.json"))) !== undefined) return ensureLocal(context);
    await host.clock.sleep(pause, host.interrupt);
  } while (host.clock.elapsed() < deadline);
  throw new FerryError("unavailable", "the embedded service was stopped", {
    code: "gone",
    hint: "the next command for host local starts it again",
  });
}
