import type { DeviceState } from "../../store/identity/login-store.ts";
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
export function decidedPage(visitor: Visitor, state: Exclude<DeviceState, "pending">): Response {
  const pages = {
    approved: {
      title: "Approved",
      body: html`<p class="card done">The terminal gets its key within a few seconds. You can close this page.</p>`,
    },
    denied: { title: "Denied", body: html`<p class="card">The terminal gets no key. You can close this page.</p>` },
    redeemed: {
      title: "Approved before",
      body: html`<p class="card warning" role="alert">
        It was approved, and the terminal has its key by now. To end that key, <a href="${visitor.base}/keys">revoke it</a>.
      </p>`,
    },
  };
  return pageAnswer({ ...pages[state], visitor });
}
