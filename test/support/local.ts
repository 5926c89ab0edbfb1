import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { serve } from "../../src/service/serve.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { commitFiles, makeRepository, type TestGit } from "./git.ts";
import { makeWorld, type World, type WorldOptions } from "./world.ts";

/** The embedded service in this process, on its real socket, where the world's commands find it. Agents run without a sandbox. */
async function serveLocally(world: World): Promise<{ stop(): Promise<void> }> {
  const running = await serve({ sandbox: "process", agent: "shell", write: () => undefined }, world.host);
  world.services.set(running.socket, makeNetwork({}).overSocket(running.socket));
  return running;
}

/** A world for all tests of a file, in which the embedded service runs. */
export function useLocalService(options?: WorldOptions): World {
  const world = makeWorld(options);
  let service: { stop(): Promise<void> } | undefined;
  beforeAll(async () => {
    service = await serveLocally(world);
  });
  afterAll(async () => {
    await service?.stop();
    await world.dispose();
  });
  return world;
}

/** A repository of its own in the world, with one commit. */
export function freshRepository({ folder }: World, files: Readonly<Record<string, string>>): TestGit {
  const git = makeRepository(mkdtempSync(join(folder, "repository-")));
  commitFiles(git, files, "first");
  return git;
}
