import { typedId } from "../../../base/ids.ts";
import { count } from "../../../base/text.ts";
import { type Scope, scopes } from "../../../wire/values.ts";
import type { KeptKey } from "../../store/store.ts";
import { html, type Html } from "../html.ts";
import { pageAnswer } from "../page.ts";
import type { Visitor } from "../visitor.ts";

export interface KeysPage {
  readonly visitor: Visitor;
  readonly keys: readonly KeptKey[];
  /** One that can't be revoked here: `--host local` would be refused until the service starts again. */
  readonly ownKeyId: string;
  /** The address of the page with older ones. */
  readonly older: string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** The id of the key that the form makes: sent twice, by a page that is loaded again, it makes none the second time. */
  readonly nextId: string;
  /** One that was just made: this once. */
  readonly made?: { readonly name: string; readonly secret: string };
  readonly complaint?: string;
}

/** How long a key can be made to live, in days; 0 is until it is revoked. */
export const lifetimes: readonly number[] = [7, 30, 90, 365, 0];

/** A user's keys, or all of the workspace: which there are, a new one, and the end of one. */
export function keysPage(page: KeysPage): Response {
  const { visitor, keys, older, made, complaint, now } = page;
  const hasEnded = ({ revoked_at, expires_at }: KeptKey): boolean =>
    revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= now);
  const ended = keys.filter(hasEnded);
  const working = keys.filter((key) => !ended.includes(key));
  return pageAnswer({
    title: "API keys",
    visitor,
    wide: true,
    status: complaint === undefined ? 200 : 400,
    body: html` ${complaint === undefined ? undefined : html`<p class="card warning" role="alert">${complaint}</p>`}
      ${made === undefined ? undefined : madeKey(made)}
      <section class="card">
        ${table(
          "API keys",
          working.map((key) => workingRow(key, page)),
          true,
        )}
        ${ended.length === 0 ? undefined : endedKeys(ended, visitor)}
        ${older === undefined ? undefined : html`<p><a href="${older}">Older keys</a></p>`}
      </section>
      ${newKey(page)}`,
  });
}

function madeKey({ name, secret }: { readonly name: string; readonly secret: string }): Html {
  return html`<section class="card done" aria-labelledby="made">
    <h2 id="made">The key “${name}”</h2>
    <p>Copy it now: it is shown this once, and kept here only as a hash.</p>
    <code class="secret">${secret}</code>
  </section>`;
}

function table(name: string, rows: readonly Html[], canEnd: boolean): Html {
  return html`<table aria-label="${name}">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Scopes</th>
        <th scope="col">Made</th>
        <th scope="col">Ends</th>
        ${canEnd ? html`<th scope="col">End it</th>` : undefined}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** What is over is kept for who asks which key did something, and is in nobody's way. */
function endedKeys(keys: readonly KeptKey[], visitor: Visitor): Html {
  const rows = keys.map(
    (key) =>
      html`<tr>
        ${cells(key, key.revoked_at === null ? minute(key.expires_at ?? "") : `revoked ${minute(key.revoked_at)}`, visitor)}
      </tr>`,
  );
  return html`<details>
    <summary>${count(keys.length, "key")} that ended</summary>
    ${table("Keys that ended", rows, false)}
  </details>`;
}

function workingRow(key: KeptKey, { visitor, ownKeyId }: KeysPage): Html {
  return html`<tr>
    ${cells(key, key.expires_at === null ? "never" : minute(key.expires_at), visitor)}
    <td data-label="End it">${key.id === ownKeyId ? ownKey : revocation(key, visitor)}</td>
  </tr>`;
}

function cells({ id, name, user_id, user_name, scopes: able, created_at }: KeptKey, ends: string, { user }: Visitor): Html {
  return html`<td data-label="Name">
      <span
        >${name}<br /><code class="soft">${typedId(id)}</code
        >${user_id === user.id ? undefined : html`<br />of ${user_name}`}</span
      >
    </td>
    <td data-label="Scopes"><span>${able.map((scope) => html`<code>${scope}</code> `)}</span></td>
    <td data-label="Made">${minute(created_at)}</td>
    <td data-label="Ends">${ends}</td>`;
}

const ownKey = html`<span class="soft">ferry’s own on this machine</span>`;

/** In two steps: what is ended works nowhere any more, and can't be had back. */
function revocation({ id, name }: KeptKey, { base, csrf }: Visitor): Html {
  return html`<details class="sure">
    <summary class="button small danger" aria-label="Revoke ${name}">Revoke</summary>
    <form method="post" action="${base}/keys/revoke">
      <input type="hidden" name="csrf" value="${csrf}" /><input type="hidden" name="id" value="${id}" />
      <button class="small danger" aria-label="Yes, revoke ${name}">Yes, for good</button>
    </form>
  </details>`;
}

function newKey({ visitor: { base, csrf }, nextId }: KeysPage): Html {
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">A new key</h2>
    <form method="post" action="${base}/keys">
      <input type="hidden" name="csrf" value="${csrf}" /><input type="hidden" name="key" value="${nextId}" />
      <label>Name<input type="text" name="name" required maxlength="100" autocomplete="off" /></label>
      <label
        >What it can do<select name="scope">
          ${scopes.map(option)}
        </select></label
      >
      <label
        >Works for<select name="days">
          ${lifetimes.map((days) => html`<option value="${days}" ${days === 90 ? selected : undefined}>${days === 0 ? "as long as it isn’t revoked" : `${days} days`}</option>`)}
        </select></label
      >
      <div class="actions"><button class="primary">Make the key</button></div>
    </form>
  </section>`;
}

const selected = html` selected`;

function option(scope: Scope): Html {
  return html`<option${scope === "sessions:all" ? selected : undefined}>${scope}</option>`;
}

/** To the minute: keys of one day are told apart by it. */
function minute(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
