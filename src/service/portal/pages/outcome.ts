import { html } from "../html.ts";
import { pageAnswer } from "../page.ts";
import type { Visitor } from "../visitor.ts";

/** The code, to be carried to the terminal by hand. */
export function codePage(visitor: Visitor, code: string): Response {
  return pageAnswer({
    title: "Paste this into your terminal",
    visitor,
    body: html`<p>It works once, within two minutes, and only in the terminal that asked for it.</p>
      <section class="card"><code class="secret">${code}</code></section>`,
  });
}

/** It was decided; what there is to know, the terminal learns by itself. */
export function decidedPage(visitor: Visitor, approved: boolean): Response {
  return pageAnswer({
    title: approved ? "Approved" : "Denied",
    visitor,
    body: approved
      ? html`<p class="card done">The terminal gets its key within a few seconds. You can close this page.</p>`
      : html`<p class="card">The terminal gets no key. You can close this page.</p>`,
  });
}
