import type { ChildProcess } from "node:child_process";
import { namedBrowsers, withAddress } from "../base/browser-variable.ts";
import { FerryError } from "../base/errors.ts";
import type { Browser, Environment } from "./host.ts";
import { withoutKey } from "./without-key.ts";

/** How long a browser is watched, in ms: one that runs that long has opened something, and what only hands an address on is done. */
const watched = 3000;

/**
 * The user's browser: the first of BROWSER's that works, else the system's. What is started has neither our screen nor our keys, and goes
 * on after us.
 */
export function makeBrowser(env: Environment, platform: NodeJS.Platform, interrupt: AbortSignal): Browser {
  return {
    async open(url) {
      const { protocol } = new URL(url);
      if (protocol !== "https:" && protocol !== "http:") throw new FerryError("failure", `${protocol} addresses aren't opened`);
      const named = namedBrowsers(env["BROWSER"], platform);
      const faults: string[] = [];
      for (const words of named) {
        const fault = await faultOf(await start(withAddress(words, url), env), words[0] ?? "", interrupt);
        if (fault === undefined) return;
        faults.push(fault);
      }
      if (named.length > 0) throw new FerryError("failure", `BROWSER: ${faults.join("; ")}`);
      const fault = await faultOf(...(await startOpener(url, platform, env)), interrupt);
      if (fault !== undefined) throw new FerryError("failure", fault);
    },
  };
}

/** On Linux by ourselves, since a browser that begins there has the environment that we give it; from WSL it is Windows' own. */
async function startOpener(url: string, platform: NodeJS.Platform, env: Environment): Promise<[ChildProcess, string]> {
  if (platform === "linux" && (env["WSL_DISTRO_NAME"] ?? "") === "") return [await start(["xdg-open", url], env), "xdg-open"];
  const { default: open } = await import("open");
  return [await open(url), "the system's opener"];
}

async function start([program = "", ...args]: readonly string[], env: Environment): Promise<ChildProcess> {
  const { spawn } = await import("node:child_process");
  const child = spawn(program, args, { stdio: "ignore", detached: true, env: withoutKey(env) });
  child.unref();
  return child;
}

/** Why a program that was just started opens nothing; undefined where it does, as far as can be seen. */
function faultOf(child: ChildProcess, name: string, interrupt: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (fault?: string): void => {
      clearTimeout(timer);
      interrupt.removeEventListener("abort", leave);
      resolve(fault);
    };
    const leave = (): void => end();
    const timer = setTimeout(leave, watched);
    interrupt.addEventListener("abort", leave, { once: true });
    child.on("error", ({ code, message }: NodeJS.ErrnoException) => end(code === "ENOENT" ? `there is no ${name}` : message));
    child.once("exit", (code, signal) =>
      end(code === 0 ? undefined : `${name} ended with ${code === null ? String(signal) : `exit status ${code}`}`),
    );
    if (child.exitCode !== null && child.exitCode !== 0) end(`${name} ended with exit status ${child.exitCode}`);
    else if (child.exitCode === 0) end();
  });
}
