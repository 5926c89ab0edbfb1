import http from "node:http";
import type { Send } from "../../src/host/host.ts";
import { serve } from "./http-server.ts";

/** What a transport would do, as a server on a loopback port, closed after the test. Gives its address. */
export async function serveOverHttp(send: Send): Promise<string> {
  const server = http.createServer((incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once("close", () => left.abort());
    const answer = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const url = `http://${incoming.headers.host ?? ""}${incoming.url ?? "/"}`;
      const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
      const response = await send({ method: incoming.method ?? "GET", url, headers, body, signal: left.signal });
      outgoing.writeHead(response.status, response.headers);
      for await (const chunk of response.body) outgoing.write(chunk);
      outgoing.end();
    };
    // A transport that fails is a line that is cut.
    answer().catch(() => outgoing.destroy());
  });
  return `http://${await serve(server)}`;
}
