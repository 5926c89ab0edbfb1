import { oneLine } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { readConfig } from "../../config/config.ts";
import { settingNamed } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import { currentSetting, withSettings } from "../settings.ts";
import { findLocal } from "./find.ts";
import { unlockedLine } from "./unlocked.ts";

/** `auto` is the first that locks in and works here. */
export const sandboxNames = ["auto", "bwrap", "unshare", "oci", "process"] as const;
export type SandboxName = (typeof sandboxNames)[number];

/** Where others than a socket's callers reach it. */
export interface TcpRequest {
  readonly address: string;
  readonly port: number;
  /** Absolute paths. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly behindProxy: string | undefined;
}

export interface ServeRequest {
  readonly sandbox: SandboxName | undefined;
  readonly agent: string | undefined;
  readonly strict: boolean;
  readonly tcp: TcpRequest | undefined;
  /** In ms. */
  readonly idle: number | undefined;
  /** Whether --data named the folder: other commands have to be told it, too. */
  readonly elsewhere: boolean;
}

/** Runs the embedded service in this process until it is told to stop. Here alone the cli meets the service, and only when it is called. */
export async function serveHere(context: Context, request: ServeRequest): Promise<void> {
  const { host, print } = await withSettings(context);
  const { serve } = await import("../../../service/serve.ts");
  // A log that can't be written is no reason to stop serving.
  const write = (line: string): void => void host.terminal.stderr.write(line).catch(() => undefined);
  const { configuredAgents } = await import("../../../service/agent/installed/configured.ts");
  // Read each time: what the config says now holds for the next session, and of permissions for the next that is asked for.
  const kept = async () => (await readConfig(host)).settings ?? {};
  const configured = async () => configuredAgents(await kept());
  const permissions = async () => {
    const { value } = currentSetting(context, settingNamed("agent_permissions"), await kept());
    return value === "ask" ? "ask" : "allow";
  };
  const running = await serve({ ...request, configured, permissions, write }, host);
  // Started in the background, it has its log for a stderr: JSON lines alone, of which one says the same.
  if (request.idle === undefined)
    await print.note(
      `serving ${running.data} on ${running.socket}${running.address === undefined ? "" : ` and ${oneLine(running.address)}`}`,
    );
  // Only to a person's screen: a log would keep it.
  const open = request.idle === undefined ? unlockedLine(running) : undefined;
  if (open !== undefined) await print.note(open);
  const link = host.terminal.stderr.isTTY ? (await findLocal(host))?.signInLink : undefined;
  if (link !== undefined) {
    await print.note(`the portal, signed in (this link works once): ${link}`);
    if (request.elsewhere) await print.note(`another link: ferry service status --data ${shellWord(running.data)}`);
  }
  await running.ended;
}
