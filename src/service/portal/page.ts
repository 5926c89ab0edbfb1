import { Html, html } from "./html.ts";
import { style, styleSource } from "./style.ts";
import type { Visitor } from "./visitor.ts";

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Who is signed in, for the head of the page. */
  readonly visitor?: Visitor | undefined;
  /** What the addresses of a sign-in's pages begin with, where the page doesn't say who it is. */
  readonly base?: string | undefined;
  readonly wide?: boolean | undefined;
  readonly status?: number;
  /** In how many seconds it can be tried again (RFC 9110, 10.2.3). */
  readonly retryAfter?: number | undefined;
  /** Where a form of the page may lead beyond this site: browsers hold a redirect after a form to it, too. */
  readonly formTarget?: string | undefined;
}

/** A whole page, with all that keeps others from framing it, feeding it or reading along. */
export function pageAnswer({ title, body, visitor, base, wide = false, status = 200, ...rest }: PageContent): Response {
  const { formTarget, retryAfter } = rest;
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action 'self'${formTarget === undefined ? "" : ` ${new URL(formTarget).origin}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(documentOf({ title, body, visitor, base, wide }), {
    status,
    headers: {
      ...guards,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
  });
}

/** On to another page after a form: by GET, so that a reload repeats nothing. */
export function seeOther(location: string, cookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...guards, location, ...(cookie !== undefined && { "set-cookie": cookie }) },
  });
}

const guards = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Not `no-referrer`: with that a browser sends our own forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

function documentOf({ title, body, visitor, base, wide }: PageContent): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ferry</title>
<style>${new Html(style)}</style>
</head>
<body>
<header><a href="${visitor?.base ?? base}/">ferry</a>${visitor === undefined ? undefined : signedIn(visitor)}</header>
<main${wide ? new Html(' class="wide"') : undefined}>
<h1>${title}</h1>
${body}
</main>
<footer>This page comes from a ferry service.</footer>
</body>
</html>
`.text;
}

function signedIn({ user, base, csrf }: Visitor): Html {
  return html`<span>${user.name}</span>
    <form method="post" action="${base}/sign-out">
      <input type="hidden" name="csrf" value="${csrf}" /><button class="small">Sign out</button>
    </form>`;
}
