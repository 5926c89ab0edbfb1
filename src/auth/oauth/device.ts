import {
  deviceAuthorizationRequest,
  type DeviceAuthorizationResponse,
  deviceCodeGrantRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from "oauth4webapi";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { cut, oneLine } from "../../base/text.ts";
import { loginClient } from "../../wire/login.ts";
import { callOptions, type Caller } from "./caller.ts";
import { isOverload, isRefusal, isTransient, loginError } from "./failure.ts";
import { patience, rested } from "./rest.ts";
import { checkAddress, type LoginServer, requireTokens } from "./server.ts";
import { keyOfCall, type Redeeming } from "./token-call.ts";

/** What a person needs for a login on another device; made harmless for a terminal. */
export interface DeviceTask {
  readonly userCode: string;
  /** Where the code is typed. */
  readonly page: string;
  /** The same with the code in it. */
  readonly direct: string | undefined;
  /** In ms from now. */
  readonly expiresIn: number;
}

export interface DeviceLogin {
  readonly scopes: readonly string[];
  readonly requester: Readonly<Record<string, string>>;
  tell(task: DeviceTask): Promise<void>;
  /** Is awaited before each question: its answer may be a key. */
  readonly redeeming: Redeeming;
  /** Whether the service can be asked now: says why not, and with nothing that it can again. */
  trouble(why: string | undefined): Promise<void>;
}

/**
 * In seconds (RFC 8628, 3.2 and 3.5). A service may say anything: it is asked once a second at most, and waited for an hour at most; a code
 * that ends before the first question is none.
 */
const presetInterval = 5;
const shortestInterval = 1;
const longestLife = 3600;
const slowDown = 5;
const longestPause = 60;

const client = { client_id: loginClient };

/**
 * A key by the device grant (RFC 8628): tells what a person has to do, then asks until they did.
 * @throws FerryError auth where it was denied or the code expired, failure where the service has no such grant
 */
export async function loginByDevice(server: LoginServer, caller: Caller, login: DeviceLogin): Promise<string> {
  const { host } = new URL(server.address);
  requireTokens(server);
  if (server.metadata.device_authorization_endpoint === undefined)
    throw new FerryError("failure", `${host} has no login by device`, { hint: "run ferry login without --device" });
  try {
    const granted = await ask(server, caller, login);
    await login.tell(taskOf(granted, server.address));
    return await poll(server, caller, granted, login);
  } catch (error) {
    throw loginError(error, host);
  }
}

async function ask({ metadata, address }: LoginServer, caller: Caller, login: DeviceLogin): Promise<DeviceAuthorizationResponse> {
  const parameters = { scope: login.scopes.join(" "), ...login.requester };
  const options = callOptions(caller, address);
  const granted = await rested(caller, patience.login, async () => {
    const response = await deviceAuthorizationRequest(metadata, client, None(), parameters, options);
    return processDeviceAuthorizationResponse(metadata, client, await withoutZero(response));
  });
  if (granted.expires_in < shortestInterval)
    throw new FerryError(
      "failure",
      `${new URL(address).host} gave a code that ends at once (expires_in: ${granted.expires_in})`,
      {
        hint: "tell whoever runs the service, or run ferry login without --device",
      },
    );
  const interval = Math.max(granted.interval ?? presetInterval, shortestInterval);
  return { ...granted, interval, expires_in: Math.min(granted.expires_in, longestLife) };
}

/** An interval of 0 is one that the library refuses, and as good as none. */
async function withoutZero(response: Response): Promise<Response> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (typeof answer !== "object" || answer === null || !("interval" in answer) || answer.interval !== 0) return response;
  return Response.json({ ...answer, interval: shortestInterval }, { status: response.status });
}

function taskOf(granted: DeviceAuthorizationResponse, address: string): DeviceTask {
  const { user_code, verification_uri, verification_uri_complete, expires_in } = granted;
  return {
    userCode: cut(oneLine(user_code), 100),
    page: checkAddress(verification_uri, address, "verification_uri").href,
    direct: verification_uri_complete && checkAddress(verification_uri_complete, address, "verification_uri_complete").href,
    expiresIn: expires_in * 1000,
  };
}

async function poll(
  { metadata, address }: LoginServer,
  caller: Caller,
  granted: DeviceAuthorizationResponse,
  login: DeviceLogin,
): Promise<string> {
  const { clock, signal } = caller;
  const deadline = clock.elapsed() + granted.expires_in * 1000;
  const asked = granted.interval ?? presetInterval;
  for (let pace: Pace = { interval: asked, pause: asked }; ;) {
    // Where the code ends before the next question, its end is what is waited for.
    await clock.sleep(Math.min(pace.pause * 1000, deadline - clock.elapsed() + 1), signal);
    if (clock.elapsed() > deadline)
      throw new FerryError("auth", "nobody approved the login in time", { hint: "run ferry login again" });
    try {
      const options = callOptions(caller, address);
      return await keyOfCall(
        login.redeeming,
        () => deviceCodeGrantRequest(metadata, client, None(), granted.device_code, options),
        (response) => processDeviceCodeResponse(metadata, client, response),
      );
    } catch (error) {
      pace = nextPace(error, pace);
      const { message } = asFerryError(loginError(error, new URL(address).host));
      await login.trouble(isTransient(error) ? message : undefined);
    }
  }
}

/** In seconds: how often the service wants to be asked, and how long is waited until the next question. */
interface Pace {
  readonly interval: number;
  readonly pause: number;
}

/**
 * What fails now and then ends no login, and is asked again as often as before: only who is silent, or has too much to do, is left alone
 * for longer (RFC 8628, 3.5), until it answers.
 * @throws the error where it is no reason to ask again
 */
function nextPace(error: unknown, { interval, pause }: Pace): Pace {
  if (isRefusal(error, "authorization_pending")) return { interval, pause: interval };
  if (isRefusal(error, "slow_down")) return { interval: interval + slowDown, pause: interval + slowDown };
  if (!isTransient(error)) throw error;
  return { interval, pause: isOverload(error) ? Math.max(interval, Math.min(pause * 2, longestPause)) : interval };
}
