import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { makeGit } from "../../src/git/runner.ts";
import { systemClock } from "../../src/host/clock.ts";
import { makeProcesses } from "../../src/host/processes.ts";
import { pull } from "../../src/patch/pull.ts";
import type { PatchHost, PullDeps, PullRequest } from "../../src/patch/request.ts";
import type { Offers, PatchSource } from "../../src/patch/source.ts";
import type { EngineName, Verdict } from "../../src/patch/verdict.ts";
import { gitEnv } from "./git.ts";

/** This machine, with an environment of the test's own. */
export function patchHost(env: Readonly<Record<string, string>> = {}): PatchHost {
  const whole = { ...gitEnv, ...env };
  return {
    env: whole,
    platform: process.platform,
    clock: systemClock,
    random: (size) => randomBytes(size),
    hostname: hostname(),
    pid: process.pid,
    processes: makeProcesses(whole, process.platform),
    interrupt: new AbortController().signal,
  };
}

export function makeDeps(env: Readonly<Record<string, string>> = {}, more: Partial<PullDeps> = {}): PullDeps {
  const host = patchHost(env);
  return { git: makeGit(host), host, ...more };
}

export interface PullInto extends Partial<Omit<PullRequest, "offers">> {
  /** Beside the source. */
  readonly offers?: Partial<Offers>;
  readonly env?: Readonly<Record<string, string>>;
  readonly deps?: Partial<PullDeps>;
  /** The only one that may be used. */
  readonly engine?: EngineName | undefined;
}

/** Those that make a series without merges from patches. */
export const patchEngines = ["exact", "am"] as const;

/** Pulls from a source into a folder; everything else has a sensible value. */
export function pullInto(
  folder: string,
  source: (PatchSource & Pick<Offers, "uncommitted">) | undefined,
  { env, deps, offers, engine, ...request }: PullInto = {},
): Promise<Verdict> {
  const whole = { ...pullRequest(folder, source, offers), ...request };
  return pull(whole, makeDeps(env, { engines: engine === undefined ? undefined : [engine], ...deps }));
}

/** The request for that. */
export function pullRequest(
  folder: string,
  source: (PatchSource & Pick<Offers, "uncommitted">) | undefined,
  offers: Partial<Offers> = {},
): PullRequest {
  return {
    folder,
    origin: "https://agents.example.com",
    workspace: "wsp_1",
    session: "ses_1",
    repositoryId: "rep_1",
    offers: { patches: source, uncommitted: source?.uncommitted, ...offers },
  };
}
