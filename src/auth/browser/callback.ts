import type { LoopbackAnswer, LoopbackRequest, Network } from "../../host/host.ts";
import { callbackPath } from "../../wire/login.ts";
import { type Binding, isState } from "../oauth/pkce.ts";
import { pages } from "./pages.ts";

/** Where the browser comes back to, open only while a login runs. */
export interface Callback {
  readonly redirectUri: string;
  /** The first answer with our state. Whatever else arrives is refused, and never ends the wait. */
  readonly arrival: Promise<URLSearchParams>;
  /** What the waiting browser is shown in the end. */
  finish(page: keyof typeof pages): void;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, a port of the system's choice. Rejects with the system's error where none can be had. */
export async function openCallback(network: Pick<Network, "listen">, binding: Binding): Promise<Callback> {
  const arrived = promised<URLSearchParams>();
  const finished = promised<LoopbackAnswer>();
  let port = 0;
  const listener = await network.listen(async (request) => {
    if (!isOurs(request, port, binding)) return pages.refused;
    arrived.resolve(request.query);
    return finished.promise;
  });
  port = listener.port;
  return {
    redirectUri: `http://127.0.0.1:${port}${callbackPath}`,
    arrival: arrived.promise,
    finish: (page) => finished.resolve(pages[page]),
    close: () => listener.close(),
  };
}

/** A navigation to the exact address that we gave, with our state once, and a code or an error once. */
function isOurs({ method, path, host, query }: LoopbackRequest, port: number, binding: Binding): boolean {
  const outcomes = [...query.getAll("code"), ...query.getAll("error")];
  return (
    method === "GET" &&
    path === callbackPath &&
    host === `127.0.0.1:${port}` &&
    query.getAll("state").length === 1 &&
    isState(binding, query.get("state")) &&
    outcomes.length === 1 &&
    outcomes[0] !== ""
  );
}

function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
