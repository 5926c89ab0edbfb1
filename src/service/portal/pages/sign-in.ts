import { html } from "../html.ts";
import { pageAnswer } from "../page.ts";

export interface SignInPage {
  /** From the link; "" where the page was reached otherwise. */
  readonly code: string;
  /** Where to go on afterwards, a path of this site. */
  readonly to: string;
  readonly refused?: boolean;
}

/** Signs in by the one-time link. Opening it changes nothing yet: previews of links open them, too. */
export function signInPage({ code, to, refused = false }: SignInPage): Response {
  const given = html`<input type="hidden" name="code" value="${code}" />`;
  const asked = html`<label
    >Sign-in link<input type="text" name="code" required autocomplete="off" spellcheck="false" autofocus
  /></label>`;
  return pageAnswer({
    title: "Sign in",
    status: refused ? 403 : 200,
    body: html` ${refused ? html`<p class="card warning" role="alert">That link isn’t valid: each works once. <code>ferry service status</code> gives a new one.</p>` : undefined}
      <p>${code === "" ? how : html`This signs this browser in to the ferry service on this machine.`}</p>
      <form method="post" action="/sign-in">
        <input type="hidden" name="to" value="${to}" />
        ${code === "" ? asked : given}
        <div class="actions"><button class="primary">Sign in</button></div>
      </form>`,
  });
}

const how = html`Paste the sign-in link that <code>ferry serve</code> printed, or that <code>ferry service status</code> shows:
  both only on a terminal.`;
