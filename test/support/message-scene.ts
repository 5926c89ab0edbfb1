import { sendMessage } from "../../src/cli/flows/session/message.ts";
import type { Context } from "../../src/cli/context.ts";
import { systemFiles } from "../../src/host/files.ts";
import { makeTestClient } from "./client.ts";
import { makeIdleClock } from "./idle-clock.ts";
import { makeScriptedSend, type Step } from "./scripted-send.ts";

/** The client_id of the first message of a scene. */
export const clientId = `ferry-${"07".repeat(12)}`;
/** A message in a timeline. */
export const event = (id: string, status: string, change: object = {}) => ({ id, type: "user_message", status, ...change });

/** A message that is sent to a session whose service answers with these steps. */
export function play(...steps: Step[]) {
  const script = makeScriptedSend(...steps);
  const clock = makeIdleClock();
  const client = makeTestClient(script.send, { patience: 0, clock });
  const open = { connection: { client }, session: { id: "ses_1" } } as unknown as Parameters<typeof sendMessage>[1];
  let drawn = 7;
  const host = { random: (size: number) => new Uint8Array(size).fill(drawn++), clock, files: systemFiles };
  const told: string[] = [];
  const context = {
    host: { ...host, interrupt: new AbortController().signal, terminal: { stderr: { isTTY: true } } },
    global: { verbose: false },
    print: { note: async (line: string) => void told.push(line) },
  } as unknown as Context;
  const calls = () => script.asked.map(({ method, url }) => `${method} ${url.split("/").at(-1) ?? ""}`);
  return { open, context, clock, calls, told, send: () => sendMessage(context, open, "hi"), asked: script.asked };
}
