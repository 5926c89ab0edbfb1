import { once } from "node:events";
import { FerryError } from "../base/errors.ts";
import type { Browser } from "./host.ts";

/** The user's browser. `open` resolves before anything is known, so the child's own failure to start is waited for. */
export const systemBrowser: Browser = {
  async open(url) {
    const { protocol } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:") throw new FerryError("failure", `${protocol} addresses aren't opened`);
    const { default: open } = await import("open");
    const child = await open(url);
    if (child.pid === undefined) await once(child, "spawn");
  },
};
