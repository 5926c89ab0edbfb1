import { readFileSync, readdirSync } from "node:fs";

/** A process that can't be mistaken for a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** Clock ticks since boot, as text: with the pid unique until the next boot. */
  readonly started: string;
}

export interface ProcessEntry extends ProcessId {
  readonly parent: number;
  readonly threads: number;
}

/**
 * Every process that runs now, by its number, from /proc/<pid>/stat (proc_pid_stat(5)). Zombies are left out: they run no more, and a
 * namespace's init is one only after all others in it were reaped (pid_namespaces(7)). One with threads is none: its first thread alone
 * has ended. Empty where there is no /proc.
 */
export function processTable(): Map<number, ProcessEntry> {
  const table = new Map<number, ProcessEntry>();
  for (const name of names()) {
    const entry = readEntry(Number(name));
    if (entry !== undefined) table.set(entry.pid, entry);
  }
  return table;
}

/** The process with this number, if it runs. */
export function readEntry(pid: number): ProcessEntry | undefined {
  const text = readProc(pid, "stat");
  // The name in brackets may hold blanks and brackets: only what comes after the last one counts.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields ?? [];
  const started = fields?.[19];
  const threads = Number(fields?.[17]);
  if (started === undefined || state === "X" || (state === "Z" && threads <= 1)) return undefined;
  return { pid, started, parent: Number(parent), threads };
}

/** Whether this very process still runs. */
export function runs(process: ProcessId): boolean {
  return readEntry(process.pid)?.started === process.started;
}

/** The process's environment as it was at its start; empty where it is gone or not ours to read. */
export function readEnvironment(pid: number): readonly string[] {
  return readProc(pid, "environ")?.split("\0") ?? [];
}

/** Bytes of memory that the process has, shared pages counted in full: cheap to read. 0 where it is gone. */
export function readResident(pid: number): number {
  return kilobytes(readProc(pid, "status"), /^VmRSS:\s+(\d+) kB/m) ?? 0;
}

/** Bytes of memory that the process has with its part of shared pages: the truth, and dear. Undefined where it can't be read. */
export function readShare(pid: number): number | undefined {
  return kilobytes(readProc(pid, "smaps_rollup"), /^Pss:\s+(\d+) kB/m);
}

function kilobytes(text: string | undefined, pattern: RegExp): number | undefined {
  const number = pattern.exec(text ?? "")?.[1];
  return number === undefined ? undefined : Number(number) * 1024;
}

function names(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Processes end while we look, and others' are not ours to read: both are no error here. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
