import { serve } from "../../src/service/serve.ts";
import { makeNetwork } from "../../src/host/network.ts";
import type { World } from "./world.ts";

/** The embedded service in this process, on its real socket, where the world's commands find it. Agents run without a sandbox. */
export async function serveLocally(world: World): Promise<{ stop(): Promise<void> }> {
  const running = await serve({ sandbox: "process", agent: "shell", write: () => undefined }, world.host);
  world.services.set(running.socket, makeNetwork({}).overSocket(running.socket));
  return running;
}
