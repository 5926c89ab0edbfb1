import { loginByDevice } from "../../../auth/oauth/device.ts";
import { requesterOf } from "../../../auth/oauth/requester.ts";
import type { LoginServer } from "../../../auth/oauth/server.ts";
import { oneLine } from "../../../base/text.ts";
import type { Spinner } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { callerOf } from "./caller.ts";

/** A key that a person approves on another device: says where, with which code, and for which computer. */
export async function keyByDevice(context: Context, server: LoginServer, scopes: readonly string[]): Promise<string> {
  const { host, print } = context;
  let spinner: Spinner | undefined;
  try {
    return await loginByDevice(server, callerOf(context), {
      scopes,
      requester: requesterOf(host),
      async tell({ userCode, page, direct, expiresIn }) {
        await print.warn("On any device with a browser, open:");
        await print.address(direct ?? page);
        await print.warn(
          `The page must show the code ${userCode} and this computer, ${oneLine(host.hostname)}. It waits for ${Math.round(expiresIn / 60_000)} minutes.`,
        );
        spinner = host.terminal.spin("waiting for the approval");
      },
    });
  } finally {
    spinner?.stop();
  }
}
