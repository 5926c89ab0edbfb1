import { isAbsolute, resolve } from "node:path";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { makeGit } from "../git/runner.ts";
import type { Git } from "../git/git.ts";
import type { Host, Output } from "../host/host.ts";
import type { GlobalOptions } from "./options.ts";
import { makePrinter, type Printer } from "./output/printer.ts";

/** What a verb gets: the outside world, and how the user wants it to behave. */
export interface Context {
  readonly host: Host;
  readonly global: GlobalOptions;
  readonly print: Printer;
  readonly git: Git;
  /** The absolute path of the folder to work in. */
  readonly folder: string;
  /** Whether there is a person to ask. */
  readonly interactive: boolean;
}

/** What a verb gets; `documented` are the names in its JSON, of which each is there for --fields, if only as null. */
export function makeContext(given: Host, options: GlobalOptions, documented: readonly string[] = []): Context {
  const host = { ...given, terminal: coloured(given, options.color) };
  const global = { ...options, json: options.json || options.fields !== undefined };
  return {
    host,
    global,
    print: makePrinter(host, { ...global, documented }),
    git: makeGit(host),
    folder: folderOf(host, global.C ?? ""),
    interactive: isInteractive(host, global),
  };
}

function folderOf({ cwd }: Host, given: string): string {
  if (isAbsolute(given)) return resolve(given);
  if (cwd !== undefined) return resolve(cwd, given);
  throw new FerryError("failure", "the current folder is no longer there", {
    hint: "go to another one (cd), or name one: -C FOLDER",
  });
}

/** @throws FerryError usage where -C names no folder */
export async function checkFolder({ host, global, folder }: Context): Promise<void> {
  if (global.C === undefined) return;
  const real = await host.files.realPath(folder);
  const status = real === undefined ? undefined : await host.files.status(real);
  if (status === undefined) throw new FerryError("usage", `no such folder: ${oneLine(global.C)}`);
  if (status.kind !== "folder") throw new FerryError("usage", `not a folder: ${oneLine(global.C)}`);
}

function coloured({ terminal }: Host, when: GlobalOptions["color"]): Host["terminal"] {
  if (when === "auto") return terminal;
  const painted = (output: Output): Output => ({
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    color: when === "always",
    write: (text) => output.write(text),
  });
  return { ...terminal, stdout: painted(terminal.stdout), stderr: painted(terminal.stderr) };
}

/** Whether there is a person to ask, who has not said that they want none of it. */
export function isInteractive({ env, terminal }: Host, { input }: Pick<GlobalOptions, "input">): boolean {
  const unwanted = [env["CI"], env["FERRY_NO_INPUT"]].some(
    (value) => value !== undefined && value !== "" && value !== "0" && value !== "false",
  );
  // Node makes a stream of stdin to tell, which takes some milliseconds.
  return input && !unwanted && terminal.stderr.isTTY && terminal.stdin.isTTY;
}
