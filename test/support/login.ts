import { listen } from "../../src/host/network/listener.ts";
import { ferry, type FerryResult } from "./ferry.ts";
import { makeTestSite, type Browser, type TestSite } from "./site.ts";
import { makeTestService, type TestService } from "./service.ts";
import { makeWorld, type World, type WorldOptions } from "./world.ts";

/** A service with a portal, and a person at a terminal who has a browser. */
export interface LoginScene {
  readonly world: World;
  readonly service: TestService;
  readonly site: TestSite;
  /** The person's browser, signed in to the portal. */
  readonly browser: Browser;
  /** `ferry login` at this service; `act` is what the person does with the address that was opened or printed. */
  login(act: (url: string) => void, argv?: readonly string[], options?: Partial<WorldOptions>): Promise<FerryResult>;
  /** Presses a button on the page at `url`. Gives where the browser is sent then. */
  press(url: string, decision: "approve" | "deny"): Promise<string>;
  close(): Promise<void>;
}

/** What a terminal on a desktop has. */
const desktop = { DISPLAY: ":0" };

export async function makeLoginScene(): Promise<LoginScene> {
  const service = await makeTestService();
  const site = await makeTestSite(service);
  const world = makeWorld({ env: desktop });
  world.services.set(site.origin, site.send);
  const browser = site.browser();
  await browser.signIn();
  return {
    world,
    service,
    site,
    browser,
    async login(act, argv = [], options = {}) {
      const { env = {}, ...rest } = options;
      const there = world.next({ env }, { tty: true, listen, browse: act, ...rest });
      there.prompt.ignore("Or paste");
      return ferry(there, "login", "--host", site.origin, ...argv);
    },
    async press(url, decision) {
      const { pathname, search } = new URL(url);
      await browser.get(pathname + search);
      const { status, headers } = await browser.submit(pathname + search, { decision });
      if (status !== 303) throw new Error(`pressing ${decision} gave ${status}`);
      return headers.get("location") ?? "";
    },
    async close() {
      await service.close();
      await world.dispose();
    },
  };
}
