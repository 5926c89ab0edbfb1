import { spawn, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that gives repositories to who has the password, by git's own http-backend. */
export interface GitServer {
  readonly url: string;
  /** What each request came with as `authorization`; "" for nothing. */
  readonly given: string[];
  /** Sends those who ask for what is below a path to another address. */
  redirect(path: string, address: string): void;
  stop(): Promise<void>;
}

export async function serveGit(root: string, user: string, password: string): Promise<GitServer> {
  const given: string[] = [];
  const moved = new Map<string, string>();
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const backend = `${spawnSync("git", ["--exec-path"], { encoding: "utf8" }).stdout.trim()}/git-http-backend`;
  const server = createServer((request, response) => {
    const { authorization = "" } = request.headers;
    given.push(authorization);
    const [from, to] = [...moved].find(([path]) => request.url?.startsWith(path)) ?? [];
    if (from !== undefined) response.writeHead(302, { location: `${to}${request.url}` }).end();
    else if (authorization === wanted) runBackend(backend, root, { request, response });
    else response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("no\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    given,
    redirect: (path, address) => void moved.set(path, address),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** git-http-backend(1), over CGI (RFC 3875). */
function runBackend(
  backend: string,
  root: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://127.0.0.1");
  const child = spawn(backend, [], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "user",
    },
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  child.once("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const headers = output
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => line.split(": ") as [string, string]);
    const status = Number(headers.find(([name]) => name === "Status")?.[1].split(" ")[0] ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status"))).end(output.subarray(end + 4));
  });
}
