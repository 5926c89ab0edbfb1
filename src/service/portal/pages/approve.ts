import type { Scope } from "../../../wire/values.ts";
import type { Requester } from "../../oauth/requester.ts";
import { html, type Html } from "../html.ts";
import { pageAnswer } from "../page.ts";
import type { Visitor } from "../visitor.ts";
import { inWords } from "./scope-words.ts";

export interface ApprovePage {
  readonly visitor: Visitor;
  readonly workspace: string;
  readonly requester: Requester;
  readonly scopes: readonly Scope[];
  /** What the terminal shows, too. */
  readonly code: string;
  /** Where the form goes, with the request in its query. */
  readonly action: string;
  readonly formTarget?: string;
  /** Whether the code can be shown instead of being sent to the terminal. */
  readonly canShow: boolean;
}

/** A person decides whether a terminal gets a key. */
export function approvePage({ visitor, workspace, requester, scopes, code, action, formTarget, canShow }: ApprovePage): Response {
  return pageAnswer({
    title: "Give this terminal a key?",
    visitor,
    formTarget,
    // Side by side where there is room: what is decided on and the buttons fit into one view.
    wide: true,
    body: html` <p>A terminal asks to act as you in the workspace <strong>${workspace}</strong>.</p>
      <div class="pair">
        <section class="card" aria-labelledby="code">
          <h2 id="code">Does your terminal show this code?</h2>
          <span class="code">${code}</span>
          <p class="soft">
            If it doesn’t, or you didn’t run <code>ferry login</code> just now, deny it: somebody else is asking.
          </p>
          <dl>${requesterLines(requester)}</dl>
        </section>
        <section class="card" aria-labelledby="rights">
          <h2 id="rights">What the key can do</h2>
          <ul>
            ${scopes.map((scope) => html`<li>${inWords(scope)} <code class="soft">${scope}</code></li>`)}
          </ul>
          <p class="soft">It works until it is revoked: by <code>ferry logout</code>, or on the page of keys.</p>
        </section>
      </div>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${visitor.csrf}" />
        <div class="actions">
          <button class="primary" name="decision" value="approve">Approve</button>
          <button class="danger" name="decision" value="deny">Deny</button>
        </div>
        ${canShow ? showInstead : undefined}
      </form>`,
  });
}

const showInstead = html`<details>
  <summary>The terminal is on another machine than this browser</summary>
  <button name="decision" value="show">Approve, and show me a code to paste there</button>
</details>`;

function requesterLines({ device, system, version }: Requester): Html[] {
  const lines = [
    ["Computer", device],
    ["System", system],
    ["ferry", version],
  ] as const;
  return lines.map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value === "" ? "not told" : value}</dd>`,
  );
}
