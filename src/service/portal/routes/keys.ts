import { makeId } from "../../../base/ids.ts";
import { cut, oneLine } from "../../../base/text.ts";
import { type Scope, scopes } from "../../../wire/values.ts";
import { makeKey } from "../../keys/make-key.ts";
import { isAmong, whoseKeys } from "../../keys/whose.ts";
import { type Parameters as Form, readForm } from "../../oauth/parameters.ts";
import { Problem } from "../../problem.ts";
import { checkForm } from "../guard.ts";
import { seeOther } from "../page.ts";
import { keysPage, type KeysPage, lifetimes } from "../pages/keys.ts";
import type { Pages, SiteDeps } from "../visit.ts";
import type { Visitor } from "../visitor.ts";
import { signedIn } from "./sign-in.ts";

export const keyRoutes = {
  "GET /keys": signedIn(({ request }, visitor, deps) =>
    show(visitor, deps, {}, new URL(request.url).searchParams.get("cursor") ?? ""),
  ),

  "POST /keys": signedIn(async ({ request }, visitor, deps) => {
    const form = await readForm(request);
    checkForm(request, visitor, form["csrf"]);
    const wanted = readKey(form, deps);
    if (typeof wanted === "string") return show(visitor, deps, { complaint: wanted });
    const made = await makeOnce(deps, { ...wanted, id: readId(form["key"]), user_id: visitor.user.id });
    return show(visitor, deps, made === undefined ? { complaint: madeBefore } : { made });
  }),

  "POST /keys/revoke": signedIn(async ({ request }, visitor, deps) => {
    const form = await readForm(request);
    checkForm(request, visitor, form["csrf"]);
    const key = await deps.store.keys.find(form["id"] ?? "");
    if (key !== undefined && isAmong(whoseKeys(visitor.user, deps.userId), key)) await deps.keyEnds.revoke(key.id);
    return seeOther(`${visitor.base}/keys`);
  }),
} satisfies Pages;

const madeBefore =
  "This form has made its key already, and the key was shown once. Where you didn’t see it, revoke it and make another.";

/** Undefined where a key of that id is there: the page was loaded again, or the button pressed twice. */
async function makeOnce(
  { store, clock, random }: SiteDeps,
  wanted: Parameters<typeof makeKey>[2] & { readonly id: string },
): Promise<{ readonly name: string; readonly secret: string } | undefined> {
  try {
    const { record, secret } = await makeKey(store.keys, { clock, random }, wanted);
    return { name: record.name, secret };
  } catch (error) {
    if ((await store.keys.find(wanted.id)) === undefined) throw error;
    return undefined;
  }
}

/** @throws Problem 403 for what no form of ours holds */
function readId(given: string | undefined): string {
  if (given !== undefined && /^key_[0-9a-z]{16}$/u.test(given)) return given;
  throw new Problem(403, "stale_form", "this form is no longer valid: go back, reload the page and try again");
}

async function show(
  visitor: Visitor,
  { store, clock, ownKeyId, random, userId }: SiteDeps,
  news: Pick<KeysPage, "made" | "complaint">,
  cursor = "",
): Promise<Response> {
  const user_id = whoseKeys(visitor.user, userId);
  const { items, next_cursor } = await store.keys.list({ cursor, limit: 50, user_id });
  const older = next_cursor === "" ? undefined : `${visitor.base}/keys?cursor=${encodeURIComponent(next_cursor)}`;
  return keysPage({ visitor, keys: items, ownKeyId, older, now: clock.now(), nextId: makeId("key", random), ...news });
}

/** What the form wants, or what is wrong with it. */
function readKey(form: Form, { clock }: SiteDeps): { name: string; scopes: Scope[]; expires_at: string | null } | string {
  const name = cut(oneLine(form["name"] ?? ""), 100);
  const scope = scopes.find((one) => one === form["scope"]);
  const days = lifetimes.find((one) => String(one) === form["days"]);
  if (name === "") return "A key needs a name.";
  if (scope === undefined || days === undefined) return "Choose what the key can do, and for how long.";
  return { name, scopes: [scope], expires_at: days === 0 ? null : new Date(clock.now() + days * 86_400_000).toISOString() };
}
