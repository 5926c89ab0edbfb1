import type { Host } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { ferry, type FerryResult } from "./ferry.ts";
import { type LoginServer, makeLoginServer } from "./login-server.ts";
import { makeWorld, type World, type WorldOptions } from "./world.ts";

/** A person at a terminal on a desktop, and a service of another make that they log in to. */
export interface ForeignLogin {
  readonly world: World;
  readonly server: LoginServer;
  /** `ferry login`; `act` is what the person does with the address that was opened: by default they approve. */
  login(act?: (url: string) => void, options?: LoginOptions): Promise<FerryResult>;
  /** The browser approves, and goes where it is sent. */
  readonly approve: (url: string) => void;
  /** Makes the person paste what the browser ended at, the address being read from the screen. */
  pasting(of: (location: string) => string): (host: Host) => Host;
}

export interface LoginOptions extends WorldOptions {
  readonly argv?: readonly string[];
  readonly change?: (host: Host) => Host;
}

export function makeForeignLogin(): ForeignLogin {
  const world = makeWorld({ env: { DISPLAY: ":0" } });
  const server = makeLoginServer();
  world.services.set(server.origin, server.send);
  const approve = (url: string): void => void fetch(server.approve(url));
  return {
    world,
    server,
    approve,
    async login(act = approve, { argv = [], change = (host: Host): Host => host, env = {}, ...rest }: LoginOptions = {}) {
      const there = world.next({ env }, { tty: true, listen, browse: act, ...rest });
      there.prompt.ignore("Or paste");
      return ferry({ ...there, host: change(there.host) }, "login", "--host", server.origin, ...argv);
    },
    pasting: (of) => (host) => {
      let answer: (url: string) => void = () => undefined;
      const seen = new Promise<string>((resolve) => (answer = resolve));
      const write = async (said: string | Uint8Array): Promise<void> => {
        await host.terminal.stderr.write(said);
        const [, url] = /\n {2}(http\S+)\n/u.exec(String(said)) ?? [];
        if (url !== undefined) answer(url);
      };
      return {
        ...host,
        prompt: { ...host.prompt, text: async () => of(server.approve(await seen)) },
        terminal: { ...host.terminal, stderr: { ...host.terminal.stderr, write } },
      };
    },
  };
}
