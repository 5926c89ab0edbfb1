import { html } from "../html.ts";
import { pageAnswer } from "../page.ts";
import type { Visitor } from "../visitor.ts";

/** Where a person types the code that a terminal elsewhere shows (RFC 8628, 3.3). */
export function devicePage(visitor: Visitor, complaint?: string): Response {
  return pageAnswer({
    title: "Log in a terminal elsewhere",
    visitor,
    status: complaint === undefined ? 200 : 400,
    body: html` ${complaint === undefined ? undefined : html`<p class="card warning" role="alert">${complaint}</p>`}
      <form method="get" action="${visitor.base}/device">
        <label
          >The code that the terminal shows
          <input
            type="text"
            name="user_code"
            required
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            placeholder="XXXX-XXXX"
            autofocus
        /></label>
        <div class="actions"><button class="primary">Continue</button></div>
      </form>`,
  });
}
