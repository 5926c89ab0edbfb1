import http from "node:http";
import net from "node:net";
import { expect, test } from "vitest";
import { parseProxy, proxyFor } from "../../src/host/network/proxy.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { knockAt, openSecureTunnel } from "../../src/host/network/tunnel.ts";
import { serve } from "../support/http-server.ts";

const never = new AbortController().signal;

/** A proxy that is silent from some point on. */
async function silent(at: "connect" | "tunnel", scheme = "http") {
  const server = at === "connect" ? net.createServer() : http.createServer();
  server.on("connect", (_, socket: net.Socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
  const host = await serve(server);
  return { proxy: parseProxy(`${scheme}://${host}`, "HTTPS_PROXY"), host, server };
}

test.each([
  ["connect", "http", "the proxy HOST (HTTPS_PROXY) made no connection to example.com:443 within 0.05 s (ETIMEDOUT)"],
  ["tunnel", "http", "example.com, through the proxy HOST (HTTPS_PROXY): no TLS connection within 0.05 s (ETIMEDOUT)"],
  ["connect", "https", "the proxy HOST (HTTPS_PROXY): no connection within 0.05 s (ETIMEDOUT)"],
] as const)("a proxy that is silent (%s, %s) is given up, and named", async (at, scheme, message) => {
  const { proxy, host } = await silent(at, scheme);
  await expect(openSecureTunnel({ proxy, host: "example.com:443", timeout: 50 }, never)).rejects.toMatchObject({
    kind: "unavailable",
    sent: false,
    code: "ETIMEDOUT",
    message: message.replace("HOST", host),
    hint: "check HTTPS_PROXY, and NO_PROXY for hosts that need none",
  });
});

test.each(["connect", "tunnel"] as const)(
  "what is called off while a proxy is silent (%s) ends at once, its connection too",
  async (at) => {
    const { proxy, server } = await silent(at);
    const controller = new AbortController();
    const gone = new Promise((resolve) => {
      server.on("connection", (socket: net.Socket) => {
        socket.once("close", resolve).resume();
        // Whatever step it is at by then.
        socket.once("data", () => controller.abort(new Error("interrupted")));
      });
    });
    await expect(openSecureTunnel({ proxy, host: "example.com:443" }, controller.signal)).rejects.toThrow("interrupted");
    await gone;
  },
);

test("a tunnel is what it leads to, by the proxy of the environment, and none is where that has none", async () => {
  const proxy = http.createServer();
  proxy.on("connect", ({ url = "" }, socket: net.Socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.pipe(socket);
    socket.write(`${url} `);
  });
  const HTTPS_PROXY = `http://user:secret@${await serve(proxy)}`;
  const dig = await makeNetwork({ HTTPS_PROXY }).tunnel("files.example:8443");
  const socket = await dig?.();
  socket?.end("hello");
  let said = "";
  for await (const chunk of socket ?? []) said += String(chunk);
  expect(said).toBe("files.example:8443 hello");
  expect(await makeNetwork({ HTTPS_PROXY, NO_PROXY: ".example" }).tunnel("files.example:443")).toBeUndefined();
  expect(await makeNetwork({}).tunnel("files.example:443")).toBeUndefined();
  await expect(makeNetwork({ HTTPS_PROXY: "socks5://x" }).tunnel("files.example:443")).rejects.toThrow(/SOCKS/u);
});

test("a knock reaches a proxy that says nothing, and none where nobody listens", async () => {
  const { proxy } = await silent("connect");
  await knockAt(proxy, 5000, never);
  await expect(knockAt(parseProxy("http://127.0.0.1:1", "HTTPS_PROXY"), 5000, never)).rejects.toMatchObject({
    message: "the proxy 127.0.0.1:1 (HTTPS_PROXY): connection refused (ECONNREFUSED)",
  });
});

test.each([
  ["https://example.com/", "", true],
  ["https://example.com/", "example.com", false],
  ["https://a.example.com/", "other.org, example.com", false],
  ["https://a.example.com/", ".example.com", false],
  ["https://a.example.com/", "*.example.com", false],
  ["https://badexample.com/", "example.com", true],
  ["https://EXAMPLE.com/", "Example.COM", false],
  ["https://example.com/", "example.com:8443", true],
  ["https://example.com:8443/", "example.com:8443", false],
  ["https://example.com/", "example.com:443", false],
  ["https://example.com/", "*", false],
  ["https://10.1.2.3/", "10.0.0.0/8", false],
  ["https://11.1.2.3/", "10.0.0.0/8", true],
  ["https://10.1.2.3/", "10.0.0.0/99", true],
  ["https://[fd00::1]/", "fd00::/8", false],
  ["https://[fd00::1]:8443/", "[fd00::1]:8443", false],
  ["https://localhost/", "", false],
  ["http://127.0.0.1/", "", false],
])("%s with NO_PROXY=%s: %s", (address, no_proxy, proxied) => {
  const env = { HTTPS_PROXY: "http://proxy:3128", no_proxy };
  expect(proxyFor(address, env)?.url.host).toBe(proxied ? "proxy:3128" : undefined);
});

test("the lower case wins, and set to nothing it means none", () => {
  const env = { HTTPS_PROXY: "http://upper:1", https_proxy: "http://lower:2" };
  expect(proxyFor("https://example.com", env)).toMatchObject({ variable: "https_proxy", url: { host: "lower:2" } });
  expect(proxyFor("https://example.com", { ...env, https_proxy: "" })).toBeUndefined();
});
