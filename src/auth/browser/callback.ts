import type { LoopbackAnswer, LoopbackRequest, Network } from "../../host/host.ts";
import { callbackPath } from "../../wire/login.ts";
import { type Binding, isState } from "../oauth/pkce.ts";
import type { LoginServer } from "../oauth/server.ts";
import { pages } from "./pages.ts";
import { hasOneOutcome } from "./paste.ts";
import type { Refuse } from "./refuse.ts";
import type { StartPage } from "./start.ts";

/** Where the browser comes back to, open only while a login runs. */
export interface Callback {
  readonly redirectUri: string;
  /** The address that leads a browser to `url`. */
  startAt(url: string): string;
  /** The next answer with our state. Whatever else arrives is refused, and never ends the wait. */
  next(): Promise<Arrival>;
  /** What the browsers that still wait are shown in the end. */
  finish(page: keyof typeof pages): void;
  close(): Promise<void>;
}

export interface Arrival {
  readonly parameters: URLSearchParams;
  /** What the browser that brought it is shown; until then it waits. */
  readonly answer: (page: keyof typeof pages) => void;
}

/** Listens on 127.0.0.1, a port of the system's choice. Rejects with the system's error where none can be had. */
export async function openCallback(
  network: Pick<Network, "listen">,
  { binding, start, refuse }: { readonly binding: Binding; readonly start: StartPage; readonly refuse: Refuse },
  metadata: LoginServer["metadata"],
): Promise<Callback> {
  const waiting: Arrival[] = [];
  let arrived = promised<undefined>();
  const finished = promised<LoopbackAnswer>();
  let port = 0;
  const listener = await network.listen(async (request) => {
    if (request.path === start.path && request.host === `127.0.0.1:${port}`) return start.answer(request);
    if (!isOurs(request, port, binding) || !isIssuer(request.query, metadata)) return pages.refused;
    if (request.peer === "other") return refuse(another);
    if (request.peer === "gone") return pages.refused;
    const answered = promised<LoopbackAnswer>();
    waiting.push({ parameters: request.query, answer: (page) => answered.resolve(pages[page]) });
    arrived.resolve(undefined);
    return Promise.race([answered.promise, finished.promise]);
  });
  port = listener.port;
  return {
    startAt(url) {
      start.lead(url);
      return `http://127.0.0.1:${port}${start.path}`;
    },
    redirectUri: `http://127.0.0.1:${port}${callbackPath}`,
    async next() {
      for (;;) {
        const first = waiting.shift();
        if (first !== undefined) return first;
        arrived = promised();
        await arrived.promise;
      }
    },
    finish: (page) => finished.resolve(pages[page]),
    close: () => listener.close(),
  };
}

/**
 * The state is no secret on a machine of many: who sees the command line of a browser that was given the true address has it, and could
 * bring a code of his own, or end the login. So what another user's program brings is refused, and what somebody brings who hangs up at
 * once, by which it isn't known any more who that was; a browser waits for its page. A stranger to this machine's tables is heard: that
 * is a port forwarded from outside, which only this user or the administrator can arrange (WSL's host, a container's), or a system
 * that has no such tables. Ports that sshd and editors forward are this user's processes, or root's.
 */
const another =
  "an answer to this login came from a program of another user of this computer, and was refused: if that was your own browser, paste the address that it ended at";

/** A navigation to the exact address that we gave, with our state once, and a code or an error once. */
function isOurs({ method, path, host, query }: LoopbackRequest, port: number, binding: Binding): boolean {
  return (
    method === "GET" &&
    path === callbackPath &&
    host === `127.0.0.1:${port}` &&
    isState(binding, query.get("state")) &&
    hasOneOutcome(query)
  );
}

/**
 * Whether an answer is from the service that was asked (RFC 9207, 2.4): the one of another is refused, and does not end the login that
 * it was mixed into.
 */
export function isIssuer(query: URLSearchParams, metadata: LoginServer["metadata"]): boolean {
  const given = query.getAll("iss");
  if (given.length === 0) return metadata.authorization_response_iss_parameter_supported !== true;
  return given.length === 1 && given[0] === metadata.issuer;
}

function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
