import { resolve } from "node:path";
import { whyNoBrowser } from "../../../../auth/browser/choice.ts";
import { namedBrowsers } from "../../../../base/browser-variable.ts";
import type { Host } from "../../../../host/host.ts";
import type { Check } from "../check.ts";

export const browser: Check = {
  name: "browser",
  async run({ host }) {
    const obstacle = await whyNoBrowser(host);
    // A job has nobody who could open an address: there ferry login refuses, and says the same.
    const isJob = (host.env["CI"] ?? "") !== "";
    const hint = isJob
      ? 'set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --host URL --with-token"'
      : "ferry login prints the address to open, and takes the code that the browser ends with; or use --device";
    if (obstacle !== undefined) return { verdict: "warning", says: `none is opened here: ${obstacle}`, hint };
    const named = namedBrowsers(host.env["BROWSER"], host.platform).map(([program = ""]) => program);
    if (named.length > 0) {
      const found = await firstOf(host, named);
      if (found !== undefined) return { verdict: "ok", says: `${found} opens pages (BROWSER)` };
      return { verdict: "warning", says: `BROWSER names what isn't there: ${named.join(", ")}`, hint };
    }
    // In WSL it is Windows that opens pages.
    if (host.platform !== "linux" || (host.env["WSL_DISTRO_NAME"] ?? "") !== "") return { verdict: "ok", says: "can be opened" };
    if ((await host.processes.find("xdg-open")) === undefined)
      return { verdict: "warning", says: "xdg-open is not installed, so none may open", hint };
    const found = (await chosen(host)) ?? (await firstOf(host, usual));
    if (found === undefined) return { verdict: "warning", says: "xdg-open is there, and no browser that it could open", hint };
    return { verdict: "ok", says: `${found} opens pages` };
  },
};

/** What xdg-open goes by where the desktop names none. */
const usual = ["x-www-browser", "firefox", "chromium", "chromium-browser", "google-chrome", "epiphany", "konqueror"];

async function firstOf(host: Host, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (await isThere(host, name)) return name;
  return undefined;
}

/** Where the name has a slash in it, PATH isn't looked through: it is the program itself, which nobody runs whom it is hidden from. */
async function isThere({ processes, files, cwd, platform }: Host, name: string): Promise<boolean> {
  if (!name.includes("/") && !(platform === "win32" && name.includes("\\"))) return (await processes.find(name)) !== undefined;
  const path = await files.target(resolve(cwd ?? "/", name)).catch(() => undefined);
  const status = path === undefined ? undefined : await files.status(path).catch(() => undefined);
  return status?.kind === "file" && (platform === "win32" || (status.mode & 0o111) !== 0);
}

/** The browser that the desktop is set to, e.g. `firefox.desktop`. */
async function chosen({ env, processes }: Host): Promise<string | undefined> {
  const asker = await processes.find("xdg-mime");
  if (asker === undefined) return undefined;
  const { stdout } = await processes.run([asker, "query", "default", "x-scheme-handler/https"], { env, timeout: 3000 });
  const [name = ""] = new TextDecoder().decode(stdout).trim().split(/\s/u);
  return name === "" ? undefined : name.replace(/\.desktop$/u, "");
}
