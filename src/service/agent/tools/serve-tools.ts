import { createServer, type Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { linesOf } from "./lines.ts";
import { speakMcp } from "./protocol.ts";
import type { ToolBox } from "./tool-box.ts";

/** An agent starts one; a second of its own making does no harm. */
const maxConnections = 8;
/** No call of a tool needs so much. */
const maxLine = 256 * 1024;

/** A server for one sandbox's agent, not yet listening. Who speaks nonsense, or too long, is hung up on. */
export function serveTools(box: ToolBox, version: string): { server: Server; closeAllConnections(): void } {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    pipeline(Readable.from(speakMcp(linesOf(socket, maxLine), box, version)), socket).catch(() => socket.destroy());
  });
  server.maxConnections = maxConnections;
  return { server, closeAllConnections: () => open.forEach((socket) => socket.destroy()) };
}
