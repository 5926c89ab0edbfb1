import { namedBrowsers } from "../../base/browser-variable.ts";
import type { Host } from "../../host/host.ts";

type ChoiceHost = Pick<Host, "env" | "platform" | "files">;

/**
 * Why no browser can be opened on this machine, in words; undefined where one can. Asked before trying: where there is no
 * screen some browsers start all the same.
 */
export async function whyNoBrowser({ env, platform, files }: ChoiceHost): Promise<string | undefined> {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (env["BROWSER"] === "none") return "BROWSER is none";
  if (isSet("CI")) return "this is a CI job";
  // Who names one knows that it reaches a screen: editors that are connected from afar set it for that.
  if (namedBrowsers(env["BROWSER"], platform).length > 0) return undefined;
  if (["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].some(isSet)) return "this is an SSH session";
  if (isSet("KUBERNETES_SERVICE_HOST") || isSet("container")) return "this is a container";
  for (const mark of ["/.dockerenv", "/run/.containerenv"])
    if ((await files.status(mark)) !== undefined) return "this is a container";
  const isWsl = isSet("WSL_DISTRO_NAME");
  if (platform === "linux" && !isWsl && !isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY")) return "there is no display";
  return undefined;
}
