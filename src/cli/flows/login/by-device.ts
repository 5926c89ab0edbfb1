import { loginByDevice } from "../../../auth/oauth/device.ts";
import { requesterOf } from "../../../auth/oauth/requester.ts";
import { hostName } from "../../../auth/address.ts";
import type { LoginServer } from "../../../auth/oauth/server.ts";
import type { Redeeming } from "../../../auth/oauth/token-call.ts";
import { isLoopback } from "../../../base/address.ts";
import { oneLine } from "../../../base/text.ts";
import { inWords } from "../../../base/time.ts";
import type { Spinner } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { callerOf } from "./caller.ts";

const approval = "waiting for the approval";

interface DeviceChoice {
  readonly scopes: readonly string[];
  readonly redeeming: Redeeming;
}

/** A key that a person approves on another device: says where, with which code, and for which computer. */
export async function keyByDevice(context: Context, server: LoginServer, choice: DeviceChoice): Promise<string> {
  const { host, print } = context;
  const spin = (text: string): Spinner | undefined => (context.global.quiet ? undefined : host.terminal.spin(text));
  let spinner = spin(`waiting for ${hostName(server.address)}`);
  let troubled = false;
  try {
    return await loginByDevice(server, callerOf(context), {
      ...choice,
      requester: requesterOf(host),
      async tell({ userCode, page, direct, expiresIn }) {
        spinner?.stop();
        // The address of a service on this computer leads nowhere from another one.
        const isHere = isLoopback(new URL(server.address).hostname);
        await print.warn(isHere ? "In a browser on this computer, open:" : "On any device with a browser, open:");
        await print.address(direct ?? page);
        await print.warn(
          `The page must show the code ${userCode} and this computer, ${oneLine(host.hostname)}. It waits for ${inWords(expiresIn)}.`,
        );
        spinner = spin(approval);
      },
      async trouble(why) {
        spinner?.update(why === undefined ? approval : `${approval}; it can't be asked for now: ${why}`);
        // Without a terminal, a line for each time that it begins.
        if (why !== undefined && !troubled && !host.terminal.stderr.isTTY) await print.warn(`${why}; it is asked again`);
        troubled = why !== undefined;
      },
    });
  } finally {
    spinner?.stop();
  }
}
