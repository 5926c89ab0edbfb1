// The first program of an agent's sandbox: raises the agent's end of the model gateway, puts the agent's settings into its HOME, and
// starts it. A program of its own, bundled into one file; it runs inside, so nothing of it is trusted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { constants, homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Launch, launchVariable, standIn } from "./launch.ts";

void launch();

async function launch(): Promise<void> {
  const [, , models = "", hosts = "", program = "", ...args] = process.argv;
  const { [launchVariable]: text = "{}", ...given } = process.env;
  const wanted = JSON.parse(text) as Launch;

  const address = models === "-" ? "" : await forwardTo(models);
  const proxy = hosts === "-" ? "" : await forwardTo(hosts);
  const complete = (value: string): string => value.replaceAll(standIn, address);

  for (const [name, content] of Object.entries(wanted.files)) {
    const path = join(homedir(), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, complete(content), { mode: 0o600 });
  }

  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, complete(value ?? "")]));
  if (proxy !== "") Object.assign(env, proxyVariables(proxy));
  env["PATH"] = [...wanted.programs, env["PATH"]].join(":");
  const child = spawn(program, args.map(complete), { env, stdio: "inherit" });
  child.once("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
}

/** By which programs know a proxy; those of lo are not behind it. Node looks at them where it is told to. */
function proxyVariables(address: string): Record<string, string> {
  const direct = "localhost,127.0.0.1,::1";
  return {
    ...{ HTTPS_PROXY: address, https_proxy: address, HTTP_PROXY: address, http_proxy: address },
    ...{ NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: "1" },
  };
}

/** Listens on a port of lo, which is this sandbox's own, and passes all of it on. @returns its address */
async function forwardTo(path: string): Promise<string> {
  const server = createServer((local) => {
    const outside = connect(path);
    local.pipe(outside).pipe(local);
    local.once("close", () => outside.destroy()).on("error", () => outside.destroy());
    outside.once("close", () => local.destroy()).on("error", () => local.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`;
}
