import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach } from "vitest";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** A server on a loopback port, closed after the test. Gives `127.0.0.1:PORT`. */
export async function serve(server: http.Server | net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers with the bytes given, whatever is asked, and then as `after` says. */
export async function serveBytes(bytes: string | Uint8Array, after: "end" | "cut" | "hang" = "end"): Promise<string> {
  return serve(
    net.createServer((socket) => {
      socket.once("data", () => {
        socket.write(bytes, () => {
          if (after === "end") socket.end();
          if (after === "cut") socket.resetAndDestroy();
        });
      });
    }),
  );
}
