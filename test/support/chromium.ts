import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

/** A real browser without a screen, for the tests of a file: each gets a page with nothing remembered. */
export interface TestBrowser {
  /** What a page complains about in its console lands in `complaints`. */
  open(options?: { readonly width?: number; readonly dark?: boolean; readonly scripts?: boolean }): Promise<Page>;
  readonly complaints: string[];
}

export function useChromium(): TestBrowser {
  let browser: Browser;
  const complaints: string[] = [];
  // A root has no use for Chromium's own sandbox, which refuses to start for one.
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());
  return {
    complaints,
    async open({ width = 1024, dark = false, scripts = true } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: dark ? "dark" : "light",
        javaScriptEnabled: scripts,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      page.on("console", (message) => complaints.push(message.text()));
      return page;
    },
  };
}
