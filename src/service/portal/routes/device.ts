import { dashed, readUserCode, requesterOf } from "../../oauth/device.ts";
import { parametersOf, readForm } from "../../oauth/parameters.ts";
import { Problem } from "../../problem.ts";
import type { DeviceRecord } from "../../store/identity/login-store.ts";
import { checkForm } from "../guard.ts";
import { approvePage } from "../pages/approve.ts";
import { devicePage } from "../pages/device.ts";
import { decidedPage } from "../pages/outcome.ts";
import { inWords } from "../failures.ts";
import type { Pages, SiteDeps } from "../visit.ts";
import type { Visitor } from "../visitor.ts";
import { signedIn } from "./sign-in.ts";

/** Logins of terminals elsewhere (RFC 8628, 3.3). The code comes in the address or by hand; a person confirms it either way. */
export const deviceRoutes = {
  "GET /device": signedIn(async ({ request }, visitor, deps) => {
    const typed = parametersOf(new URL(request.url).searchParams)["user_code"];
    if (typed === undefined) return devicePage(visitor);
    const device = await findDevice(typed, visitor, deps);
    if (device?.state !== "pending") return devicePage(visitor, gone);
    return approvePage({
      visitor,
      workspace: deps.store.workspace.name,
      requester: requesterOf(device),
      scopes: device.scopes,
      code: dashed(device.user_code),
      action: `${visitor.base}/device?user_code=${device.user_code}`,
      canShow: false,
    });
  }),

  "POST /device": signedIn(async ({ request }, visitor, deps) => {
    const { csrf, decision } = await readForm(request);
    checkForm(request, visitor, csrf);
    if (decision !== "approve" && decision !== "deny")
      throw new Problem(400, "invalid_request", "decision: is none of the buttons");
    const device = await findDevice(new URL(request.url).searchParams.get("user_code") ?? "", visitor, deps);
    if (device === undefined) return devicePage(visitor, gone);
    const { logins } = deps.store;
    const state = decision === "approve" ? "approved" : "denied";
    if (await logins.moveDevice(device.hash, "pending", { state, user_id: visitor.user.id })) return decidedPage(visitor, state);
    // Who decides once more, in another tab or by Back, can take an approval of their own back until the terminal has its key.
    const now = await logins.findDevice(device.hash);
    if (now?.user_id !== visitor.user.id) return devicePage(visitor, gone);
    if (state === "denied" && (await logins.moveDevice(device.hash, "approved", { state }))) return decidedPage(visitor, state);
    const last = (await logins.findDevice(device.hash))?.state;
    if (state === "denied" && last === "redeemed") return decidedPage(visitor, last);
    return decidedPage(visitor, last === "denied" ? last : "approved");
  }),
} satisfies Pages;

const gone = "No terminal waits with this code. Look again at what it shows; codes work for ten minutes.";

/**
 * The login of that code, decided or not; one whose terminal has its key also later. Wrong codes are counted, of each user their own:
 * they are short.
 */
async function findDevice(
  typed: string,
  { user }: Visitor,
  { store, clock, wrongCodes }: SiteDeps,
): Promise<DeviceRecord | undefined> {
  const wait = wrongCodes.wait(user.id);
  if (wait > 0) throw new Problem(429, "too_many_attempts", `too many wrong codes: try again in ${inWords(wait)}`);
  const device = await store.logins.findDeviceByUserCode(readUserCode(typed));
  // A page that is loaded again once its terminal has its key guesses nothing.
  if (device === undefined) wrongCodes.add(user.id);
  else if (device.state === "redeemed" || Date.parse(device.expires_at) > clock.now()) return device;
  return undefined;
}
