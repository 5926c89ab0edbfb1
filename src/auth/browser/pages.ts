import type { LoopbackAnswer } from "../../host/host.ts";

/** What the callback answers: fixed pages, with nothing in them that came with a request. */
export const pages = {
  done: page(
    200,
    "Go back to your terminal",
    "It has what it needs from this browser, and says how the login went. You can close this page.",
  ),
  denied: page(200, "Denied", "The terminal gets no key, and has stopped waiting. You can close this page."),
  failed: page(200, "Go back to your terminal", "The login did not work: the terminal says why. You can close this page."),
  refused: page(400, "Nothing to do here", "This address answers only the login that is going on in the terminal."),
} satisfies Record<string, LoopbackAnswer>;

function page(status: number, title: string, text: string): LoopbackAnswer {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · ferry</title><style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.25rem}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`,
  };
}
