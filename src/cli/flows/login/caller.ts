import type { Caller } from "../../../auth/oauth/caller.ts";
import { isDebugging } from "../../../base/debugging.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";

/** How the login's own calls go out: like all others, with the trace of --verbose. */
export function callerOf({ host, global }: Context): Caller {
  const trace = (line: string): void => void host.terminal.stderr.write(`${oneLine(line)}\n`);
  return {
    send: host.network.send,
    clock: host.clock,
    userAgent: `ferry/${host.version}`,
    signal: host.interrupt,
    trace: global.verbose || isDebugging(host.env) ? trace : undefined,
  };
}
