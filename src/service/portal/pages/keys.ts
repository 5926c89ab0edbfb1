import { type Scope, scopes } from "../../../wire/values.ts";
import type { KeyRecord } from "../../store/store.ts";
import { html, type Html } from "../html.ts";
import { pageAnswer } from "../page.ts";
import type { Visitor } from "../visitor.ts";

export interface KeysPage {
  readonly visitor: Visitor;
  readonly keys: readonly KeyRecord[];
  /** One that can't be revoked here: `--host local` would be refused until the service starts again. */
  readonly ownKeyId: string;
  /** The address of the page with older ones. */
  readonly older: string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** One that was just made: this once. */
  readonly made?: { readonly name: string; readonly secret: string };
  readonly complaint?: string;
}

/** How long a key can be made to live, in days; 0 is until it is revoked. */
export const lifetimes: readonly number[] = [7, 30, 90, 365, 0];

/** The workspace's keys: which there are, a new one, and the end of one. */
export function keysPage(page: KeysPage): Response {
  const { visitor, keys, older, made, complaint } = page;
  return pageAnswer({
    title: "API keys",
    visitor,
    wide: true,
    status: complaint === undefined ? 200 : 400,
    body: html` ${complaint === undefined ? undefined : html`<p class="card warning" role="alert">${complaint}</p>`}
      ${made === undefined ? undefined : madeKey(made)}
      <section class="card">
        <table aria-label="API keys">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Scopes</th>
              <th scope="col">Made</th>
              <th scope="col">Works until</th>
              <th scope="col">End it</th>
            </tr>
          </thead>
          <tbody>
            ${keys.map((key) => row(key, page))}
          </tbody>
        </table>
        ${older === undefined ? undefined : html`<p><a href="${older}">Older keys</a></p>`}
      </section>
      ${newKey(visitor)}`,
  });
}

function madeKey({ name, secret }: { readonly name: string; readonly secret: string }): Html {
  return html`<section class="card done" aria-labelledby="made">
    <h2 id="made">The key “${name}”</h2>
    <p>Copy it now: it is shown this once, and kept here only as a hash.</p>
    <code class="secret">${secret}</code>
  </section>`;
}

function row(key: KeyRecord, { visitor, now, ownKeyId }: KeysPage): Html {
  const ended = key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) <= now);
  const until =
    key.revoked_at !== null ? `revoked ${day(key.revoked_at)}` : key.expires_at === null ? "no end" : day(key.expires_at);
  return html`<tr>
    <td data-label="Name">${key.name}</td>
    <td data-label="Scopes"><span>${key.scopes.map((scope) => html`<code>${scope}</code> `)}</span></td>
    <td data-label="Made">${day(key.created_at)}</td>
    <td data-label="Works until">${until}</td>
    <td data-label="End it">${ended ? undefined : key.id === ownKeyId ? ownKey : revocation(key, visitor)}</td>
  </tr>`;
}

const ownKey = html`<span class="soft">ferry’s own on this machine</span>`;

function revocation({ id, name }: KeyRecord, { base, csrf }: Visitor): Html {
  return html`<form method="post" action="${base}/keys/revoke">
    <input type="hidden" name="csrf" value="${csrf}" /><input type="hidden" name="id" value="${id}" />
    <button class="small danger" aria-label="Revoke ${name}">Revoke</button>
  </form>`;
}

function newKey({ base, csrf }: Visitor): Html {
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">A new key</h2>
    <form method="post" action="${base}/keys">
      <input type="hidden" name="csrf" value="${csrf}" />
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

function day(time: string): string {
  return time.slice(0, 10);
}
