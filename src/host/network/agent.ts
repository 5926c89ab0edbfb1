import type { Duplex } from "node:stream";

type Done = (error: Error | null, socket?: Duplex) => void;

/** What has an agent use connections that `connect` makes from the options of the request, which Node hands on. Its errors are the request's. */
export function dialing<O>(connect: (options: O) => Promise<Duplex>): { createConnection(options: O, done: Done): undefined } {
  return {
    createConnection(options, done): undefined {
      connect(options).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  };
}
