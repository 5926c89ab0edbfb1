import { html } from "../html.ts";
import { pageAnswer } from "../page.ts";

/** What went wrong, for a person. `message` is ours, never the request's. */
export function problemPage(status: number, message: string): Response {
  return pageAnswer({
    title: "That didn’t work",
    status,
    body: html`<p class="card warning" role="alert">${message}</p>
      <p><a href="/">Go to the start</a></p>`,
  });
}
