import { findFolders } from "../../../base/folders.ts";
import { findLocal } from "../../flows/local/find.ts";
import { unlocked } from "../../flows/local/unlocked.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { addData, withData } from "./options.ts";

const names = ["running", "pid", "version", "socket", "portal", "sandbox", "data"] as const;

export const status: Verb = {
  name: "status",
  summary: "Show whether the embedded service runs, and where",
  description:
    "Show whether the embedded service runs, and where. On a terminal also a link that signs a browser in to its portal.",
  answer: names,
  examples: ["ferry service status", "ferry service status --json", "ferry service status --data /srv/ferry"],
  define: (command) => void addData(command),
  async run(given, options: { readonly data?: string }) {
    const context = withData(given, options.data);
    const { data } = findFolders(context.host);
    const service = await findLocal(context.host);
    const { pid, version, socket, portal, sandbox } = service ?? {};
    const shown = {
      running: service !== undefined,
      pid: pid ?? null,
      version: version ?? null,
      socket: socket ?? null,
      portal: portal ?? null,
      sandbox: sandbox ?? null,
      data,
    };
    const words = { ...shown, sandbox: (service && unlocked(service)) ?? shown.sandbox };
    const lines = names.map((name) => [name, textOf(words[name])] as const);
    // The link signs a browser in: for a person's screen alone.
    const link = context.host.terminal.stdout.isTTY ? service?.signInLink : undefined;
    await showOne(context, shown, link === undefined ? lines : [...lines, ["sign in", link]], names);
  },
};

function textOf(value: string | number | boolean | null): string | undefined {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? undefined : String(value);
}
