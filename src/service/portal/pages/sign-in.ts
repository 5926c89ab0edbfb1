import { inWords } from "../failures.ts";
import { html, type Html } from "../html.ts";
import { pageAnswer } from "../page.ts";

export interface SignInPage {
  /** From the link; "" where the page was reached otherwise. */
  readonly code: string;
  /** Where to go on afterwards, a path of this site. */
  readonly to: string;
  /** There where others than the owner can sign in. */
  readonly passwords: object | undefined;
  /** As it was typed. */
  readonly name?: string;
  readonly refused?: "link" | "password" | { readonly retryAfter: number };
}

/** Signs in by the one-time link, or with a password. Opening the link changes nothing yet: previews of links open them, too. */
export function signInPage(page: SignInPage): Response {
  const { code, passwords, refused } = page;
  const retryAfter = typeof refused === "object" ? refused.retryAfter : undefined;
  return pageAnswer({
    title: "Sign in",
    status: retryAfter !== undefined ? 429 : refused !== undefined ? 403 : 200,
    retryAfter,
    body: html` ${refused === undefined ? undefined : html`<p class="card warning" role="alert">${complaint(refused)}</p>`}
    ${code !== "" ? linkGiven(page) : passwords === undefined ? linkForm(page) : passwordForm(page)}`,
  });
}

function complaint(refused: NonNullable<SignInPage["refused"]>): Html {
  if (refused === "link") return html`That link isn’t valid: each works once. <code>ferry service status</code> gives a new one.`;
  if (refused === "password") return html`That isn’t the name and password of a user here.`;
  const { retryAfter } = refused;
  return html`There were too many attempts: try again in ${inWords(retryAfter)}.`;
}

function linkGiven({ code, to }: SignInPage): Html {
  return html`<p>This signs this browser in to the ferry service, as its owner.</p>
    <form method="post" action="/sign-in">
      <input type="hidden" name="to" value="${to}" />
      <input type="hidden" name="code" value="${code}" />
      <div class="actions"><button class="primary">Sign in</button></div>
    </form>`;
}

function passwordForm(page: SignInPage): Html {
  const { to, name = "" } = page;
  return html`<form method="post" action="/sign-in/password">
      <input type="hidden" name="to" value="${to}" />
      <label
        >Name<input
          type="text"
          name="name"
          value="${name}"
          required
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          ${name === "" ? autofocus : undefined}
      /></label>
      <label
        >Password<input
          type="password"
          name="password"
          required
          autocomplete="current-password"
          ${name === "" ? undefined : autofocus}
      /></label>
      <div class="actions"><button class="primary">Sign in</button></div>
    </form>
    <details>
      <summary>I run this service</summary>
      ${linkForm(page)}
    </details>`;
}

const autofocus = html`autofocus`;

function linkForm({ to, passwords }: SignInPage): Html {
  return html`<p>
      Paste the sign-in link that <code>ferry serve</code> printed, or that <code>ferry service status</code> shows: both only on
      a terminal.
    </p>
    <form method="post" action="/sign-in">
      <input type="hidden" name="to" value="${to}" />
      <label
        >Sign-in link<input
          type="text"
          name="code"
          required
          autocomplete="off"
          spellcheck="false"
          ${passwords === undefined ? autofocus : undefined}
      /></label>
      <div class="actions"><button ${passwords === undefined ? html`class="primary"` : undefined}>Sign in</button></div>
    </form>`;
}
