import http from "node:http";
import https from "node:https";
import net from "node:net";
import { build } from "esbuild";
import { serve } from "./http-server.ts";

export interface Proxy {
  readonly host: string;
  readonly target: string;
  readonly asked: { connect: string; authorization: string | undefined }[];
}

/** A proxy that opens a tunnel to `target`, whatever is asked, or refuses with `status`; with TLS where it is given what for. */
export async function makeProxy(target: string, status = 200, tls?: https.ServerOptions): Promise<Proxy> {
  const asked: Proxy["asked"] = [];
  const server = tls === undefined ? http.createServer() : https.createServer(tls);
  server.on("connect", (incoming, socket: net.Socket) => {
    asked.push({ connect: incoming.url ?? "", authorization: incoming.headers["proxy-authorization"] });
    socket.on("error", () => undefined);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [address, port] = target.split(":");
    const upstream = net.connect(Number(port), address, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    return undefined;
  });
  return { host: await serve(server), target, asked };
}

/** A program that makes one request by the environment it is given, and prints what came of it. */
export async function bundleAsker(outfile: string): Promise<void> {
  const network = new URL("../../src/host/network.ts", import.meta.url).pathname;
  const contents = `
    import { makeNetwork } from ${JSON.stringify(network)};
    const { send } = makeNetwork(process.env);
    try {
      const response = await send({ method: "GET", url: process.argv[2], headers: { "x-api-key": "key" } });
      let body = "";
      for await (const chunk of response.body) body += Buffer.from(chunk).toString();
      console.log(JSON.stringify({ status: response.status, body }));
    } catch ({ kind, message, hint, code, sent }) {
      console.log(JSON.stringify({ kind, message, hint, code, sent }));
    }
    process.exit();`;
  const banner = { js: 'import { createRequire as r } from "node:module"; const require = r(import.meta.url);' };
  const root = new URL("../..", import.meta.url).pathname;
  await build({
    stdin: { contents, loader: "ts", resolveDir: root },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner,
    logLevel: "error",
  });
}
