import { oneLine } from "../../../base/text.ts";
import { readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { findLocal } from "./find.ts";

/** `auto` is the first that locks in and works here. */
export const sandboxNames = ["auto", "bwrap", "unshare", "oci", "process"] as const;
export type SandboxName = (typeof sandboxNames)[number];

export interface ServeRequest {
  readonly sandbox: SandboxName | undefined;
  readonly agent: string | undefined;
  readonly strict: boolean;
  readonly tcp: { readonly address: string; readonly port: number } | undefined;
  /** In ms. */
  readonly idle: number | undefined;
}

/** Runs the embedded service in this process until it is told to stop. Here alone the cli meets the service, and only when it is called. */
export async function serveHere({ host, print }: Context, request: ServeRequest): Promise<void> {
  const { serve } = await import("../../../service/serve.ts");
  // A log that can't be written is no reason to stop serving.
  const write = (line: string): void => void host.terminal.stderr.write(line).catch(() => undefined);
  const { configuredAgents } = await import("../../../service/agent/installed/configured.ts");
  // Read each time: what the config says now holds for the next session.
  const configured = async () => configuredAgents((await readConfig(host)).settings ?? {});
  const running = await serve({ ...request, configured, write }, host);
  await print.note(
    `serving ${running.data} on ${running.socket}${running.address === undefined ? "" : ` and ${oneLine(running.address)}`}`,
  );
  // Only to a person's screen: a log would keep it.
  const link = host.terminal.stderr.isTTY ? (await findLocal(host))?.signInLink : undefined;
  if (link !== undefined) await print.note(`the portal, signed in (this link works once): ${link}`);
  await running.ended;
}
