import { html } from "../html.ts";
import { pageAnswer } from "../page.ts";

/** What went wrong, for a person. `message` is ours, never the request's; `base` is what the addresses of the person's pages begin with. */
export function problemPage(status: number, message: string, base: string): Response {
  return pageAnswer({
    title: "That didn’t work",
    status,
    base,
    body: html`<p class="card warning" role="alert">${message}</p>
      <p><a href="${base}/">Go to the start</a></p>`,
  });
}
