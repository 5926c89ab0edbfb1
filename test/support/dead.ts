import type { Host } from "../../src/host/host.ts";

/** A process that runs no more. */
export const dead = 999_999_999;

/** As a process that runs only as far as it sees itself. */
export function asDead(host: Host): Host {
  const startTime = async (pid: number) => (pid === dead ? "1" : host.processes.startTime(pid));
  return { ...host, pid: dead, processes: { ...host.processes, startTime } };
}
