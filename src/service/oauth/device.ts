import { jsonAnswer } from "../http/answer.ts";
import { makeKey } from "../keys/make-key.ts";
import { hashSecret, mintSecret } from "../keys/secret.ts";
import type { DeviceRecord } from "../store/identity/login-store.ts";
import { checkClient } from "./client.ts";
import { OAuthError } from "./error.ts";
import type { GrantDeps, Issued } from "./grant.ts";
import type { Parameters } from "./parameters.ts";
import { keyName, readRequester, type Requester } from "./requester.ts";
import { readScopes } from "./scopes.ts";

/** In seconds, as the protocol has them (RFC 8628, 3.2). */
const lifetime = 600;
const interval = 5;
/** Whoever can reach the service can ask, and must not keep others from it: more at once than this end the oldest that nobody approved. */
const mostPending = 1000;
/** What the network may shorten an interval by, in ms. */
const jitter = 500;

/** Consonants only (RFC 8628, 6.1): easily typed, and no words. */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";

/** The device authorization endpoint (RFC 8628, 3.1). */
export async function answerDevice(form: Parameters, issuer: string, deps: GrantDeps): Promise<Response> {
  const client_id = checkClient(form["client_id"]);
  const scopes = readScopes(form["scope"]);
  const { device, system, version } = readRequester(form);
  const now = deps.clock.now();
  await deps.store.logins.forget(new Date(now - 86_400_000).toISOString());
  await deps.store.logins.forgetDevices(mostPending - 1);
  const [deviceCode, userCode] = [mintSecret(deps.random), mintUserCode(deps.random)];
  await deps.store.logins.insertDevice({
    hash: hashSecret(deviceCode),
    user_code: userCode,
    client_id,
    scopes,
    device_name: device,
    device_system: system,
    client_version: version,
    state: "pending",
    user_id: null,
    interval_seconds: interval,
    polled_at: null,
    expires_at: new Date(now + lifetime * 1000).toISOString(),
  });
  const shown = dashed(userCode);
  const page = `${issuer}/device`;
  return jsonAnswer(
    {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${shown}`,
      expires_in: lifetime,
      interval,
    },
    200,
  );
}

/** A poll of the token endpoint (RFC 8628, 3.5): the key, or how to go on. */
export async function redeemDevice(deviceCode: string, client: string, deps: GrantDeps): Promise<Issued> {
  const hash = hashSecret(deviceCode);
  const device = await deps.store.logins.findDevice(hash);
  if (device?.client_id !== client || device.state === "redeemed")
    throw new OAuthError("invalid_grant", "device_code: is not valid, or was used before");
  if (Date.parse(device.expires_at) <= deps.clock.now()) throw new OAuthError("expired_token", "the code has expired");
  if (device.state === "denied") throw new OAuthError("access_denied", "the login was denied");
  await checkPace(device, deps);
  if (device.state === "pending" || device.user_id === null)
    throw new OAuthError("authorization_pending", "nobody has approved it yet");
  const wanted = { name: keyName(requesterOf(device)), user_id: device.user_id, scopes: device.scopes, expires_at: null };
  return deps.store.transaction(async (store) => {
    if (await store.logins.moveDevice(hash, "approved", { state: "redeemed" })) return makeKey(store.keys, deps, wanted);
    throw new OAuthError("invalid_grant", "device_code: was used before");
  });
}

export function requesterOf(device: DeviceRecord): Requester {
  return { device: device.device_name, system: device.device_system, version: device.client_version };
}

/** What a person typed as it is stored: case, blanks and dashes don't matter (RFC 8628, 6.1). */
export function readUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/gu, "");
}

export function dashed(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}

async function checkPace({ hash, polled_at, interval_seconds, state }: DeviceRecord, { store, clock }: GrantDeps): Promise<void> {
  const now = clock.now();
  const tooFast = polled_at !== null && now - Date.parse(polled_at) < interval_seconds * 1000 - jitter;
  const slower = tooFast ? interval_seconds + 5 : interval_seconds;
  await store.logins.notePoll(hash, { polled_at: new Date(now).toISOString(), interval_seconds: slower });
  if (tooFast && state === "pending") throw new OAuthError("slow_down", `poll every ${slower} seconds`);
}

/** Eight letters without a bias towards some: 34 bits, guarded by the page's limit on wrong ones. */
function mintUserCode(random: GrantDeps["random"]): string {
  let code = "";
  while (code.length < 8)
    for (const byte of random(16)) if (code.length < 8 && byte < 240) code += alphabet.charAt(byte % alphabet.length);
  return code;
}
