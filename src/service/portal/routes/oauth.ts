import { jsonAnswer } from "../../http/answer.ts";
import { answerDevice } from "../../oauth/device.ts";
import { metadata } from "../../oauth/metadata.ts";
import { readForm } from "../../oauth/parameters.ts";
import { answerRevocation } from "../../oauth/revoke.ts";
import { answerToken } from "../../oauth/token.ts";
import type { Pages } from "../visit.ts";

/** What programs call in the course of a login. */
export const oauthRoutes = {
  "GET /.well-known/oauth-authorization-server": async ({ origin }) => jsonAnswer(metadata(origin), 200),
  "POST /oauth/token": async ({ request }, deps) => answerToken(await readForm(request), deps),
  "POST /oauth/device": async ({ request, origin }, deps) => answerDevice(await readForm(request), origin, deps),
  "POST /oauth/revoke": async ({ request }, deps) => answerRevocation(await readForm(request), deps),
} satisfies Pages;
