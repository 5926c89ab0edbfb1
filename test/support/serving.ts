import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Binary, collect } from "./binary.ts";

/** `ferry serve --port 0` of a binary's own place, with the portal and logins. */
export interface Serving {
  readonly address: string;
  /** The code of the newest sign-in link. */
  signInCode(): string;
  /** What it has logged. */
  stop(): Promise<string>;
}

export async function startServing(place: Binary, ...more: readonly string[]): Promise<Serving> {
  const service: ChildProcess = place.start(["serve", "--port", "0", "--sandbox", "process", ...more]);
  const ended = collect(service);
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    service.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /^serving .* and (https?:\S+)$/mu.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    service.once("exit", () => reject(new Error(said)));
  });
  return {
    address,
    signInCode: () => readFileSync(join(place.folder, "data", "sign-in"), "utf8"),
    async stop() {
      service.kill("SIGTERM");
      const { stdout, stderr } = await ended;
      return stdout + stderr;
    },
  };
}
