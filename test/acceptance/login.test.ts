import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../src/host/network/listener.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { type Binary, makeBinary } from "../support/binary.ts";
import { type TestBrowser, useChromium } from "../support/chromium.ts";
import { ferry } from "../support/ferry.ts";
import { serve } from "../support/http-server.ts";
import { describeWith } from "../support/programs.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { type OnTerminal, startOnTerminal } from "../support/pty.ts";
import { makeWorld } from "../support/world.ts";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

describeWith(["chromium", "script"], "a login on a desktop", () => {
  const browser: TestBrowser = useChromium();
  let place: Binary;
  let service: Serving;
  let address: string;

  beforeAll(async () => {
    place = makeBinary();
    service = await startServing(place);
    address = service.address;
  });
  afterAll(async () => {
    await service.stop();
    await place.dispose();
  });

  const signInLink = () => `${address}/sign-in?code=${service.signInCode()}`;
  const login = (...argv: string[]) => startOnTerminal(place, [process.execPath, ferryPath, "login", "--host", address, ...argv]);
  const addressOn = async (terminal: OnTerminal) => (await terminal.see(/^ {2}(http:\S+)\r?$/mu))[1] ?? "";

  /** Signs in on the way, as a person does whose browser is new. */
  async function openAsked(url: string, options: Parameters<TestBrowser["open"]>[0] = {}) {
    const page = await browser.open(options);
    await page.goto(url);
    await page.fill("input[name=code]", signInLink());
    await page.click("button.primary");
    await page.waitForSelector("text=Give this terminal a key?");
    return page;
  }

  test("Approve: the terminal says who it is now, and the browser that it can go", async () => {
    const terminal = login();
    const url = await addressOn(terminal);
    await terminal.see(/Or paste here the code that the page shows, or the address that it ends at: \(9:5\d left\)/u);
    const page = await openAsked(url);
    const [, code = ""] = await terminal.see(/The page must show the code (\S+)\./u);
    expect(await page.textContent(".code")).toBe(code);
    await page.click("button[value=approve]");
    await page.waitForSelector("text=Go back to your terminal");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/logged in to 127\.0\.0\.1:\d+ as \S+, workspace local/u);
    expect(browser.complaints).toEqual([]);
    expect(await place.run(["whoami", "--json"], { env: { FERRY_HOST: address } })).toMatchObject({ code: 0 });
  });

  test("a browser that is opened is led to the service, signs in on the way, and comes back", async () => {
    const world = makeWorld({ env: { DISPLAY: ":0" }, tty: true, listen });
    world.services.set(address, makeNetwork({}).send);
    world.prompt.ignore("Or paste");
    let shown: Promise<unknown> | undefined;
    const approve = async (url: string): Promise<void> => {
      expect(new URL(url).pathname).toMatch(/^\/start\//u);
      const page = await openAsked(url);
      await page.click("button[value=approve]");
      await page.waitForSelector("text=Go back to your terminal");
    };
    const open = async (url: string): Promise<void> => void (shown = approve(url));
    expect((await ferry({ ...world, host: { ...world.host, browser: { open } } }, "login", "--host", address)).code).toBe(0);
    await shown;
    expect(browser.complaints).toEqual([]);
    await world.dispose();
  });

  test("Deny: the terminal says so, and isn't logged in", async () => {
    const terminal = login();
    const page = await openAsked(await addressOn(terminal), { dark: true, width: 360 });
    await page.click("button[value=deny]");
    await page.waitForSelector("text=The terminal gets no key");
    expect(await terminal.ended).toBe(4);
    expect(terminal.screen()).toContain("ferry: the login was denied in the browser");
  });

  test("without JavaScript, and with the browser on another machine: the code that it shows is pasted", async () => {
    const terminal = login("--no-browser");
    const page = await openAsked(await addressOn(terminal), { scripts: false });
    await page.click("text=The terminal is on another machine");
    await page.click("text=Approve, and show me a code");
    const code = (await page.textContent("code.secret")) ?? "";
    await terminal.see(/left\)/u);
    terminal.type(` ${code} \r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain("logged in to");
  });

  test("Ctrl-C while it waits for the approval: the terminal is told", async () => {
    const terminal = login("--device");
    await terminal.see(/waiting for the approval/u);
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).toContain("ferry: interrupted");
  });

  test("--device: approved in a browser that the terminal knows nothing of", async () => {
    const terminal = login("--device");
    const url = await addressOn(terminal);
    expect(url).toContain("/device?user_code=");
    const page = await openAsked(url);
    await page.click("button[value=approve]");
    await page.waitForSelector("text=Approved");
    expect(await terminal.ended).toBe(0);
    expect(browser.complaints).toEqual([]);
  });

  test("Ctrl-C ends the wait at once", async () => {
    const terminal = login();
    await terminal.see(/left\)/u);
    const started = performance.now();
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("ferry serve prints a link that signs in, to a terminal alone; service status shows the next one", async () => {
    const own = makeBinary();
    const serving = startOnTerminal(own, [process.execPath, ferryPath, "serve", "--sandbox", "process"]);
    const [, link = ""] = await serving.see(/this link works once\): (http:\S+)/u);
    const page = await browser.open();
    await page.goto(link);
    await page.click("button.primary");
    await page.waitForSelector("text=API keys");
    const status = startOnTerminal(own, [process.execPath, ferryPath, "service", "status"]);
    const [, next] = await status.see(/^sign in: +(http:\S+)/mu);
    expect(next).not.toBe(link);
    await status.ended;
    expect((await own.run(["service", "status"])).stdout).not.toContain("code=");
    expect((await own.run(["service", "status", "--json"])).stdout).not.toContain("code=");
    serving.type("\u0003");
    expect(await serving.ended).toBe(0);
    await own.dispose();
  });

  test("a page of another origin can't frame the approval (clickjacking)", async () => {
    const terminal = login();
    const url = await addressOn(terminal);
    const page = await openAsked(url);
    const frame = `<iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`;
    const evil = await serve(
      createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(`<h1>Win a prize</h1>${frame}`)),
    );
    const said = page.waitForEvent("console", { predicate: (message) => message.text().includes("frame-ancestors 'none'") });
    await page.goto(`http://${evil}/`);
    await said;
    const [, framed] = page.frames();
    expect(framed?.url()).toMatch(/^chrome-error:/u);
    expect(await framed?.$("button")).toBeNull();
    browser.complaints.length = 0;
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
  });

  test("the table of keys breaks neither a scope nor a date, on a wide screen", async () => {
    const page = await browser.open({ width: 1280 });
    await page.goto(signInLink());
    await page.click("button.primary");
    await page.fill("input[name=name]", "nightly build of the release branch, with the notes");
    await page.selectOption("select[name=scope]", "code-providers:write");
    await page.click("text=Make the key");
    const rows = await page.evaluate<number[]>(`[...document.querySelectorAll("td code, td[data-label=Made]")].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })`);
    expect(rows.length).toBeGreaterThan(3);
    expect(new Set(rows)).toEqual(new Set([1]));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1280);
  });

  test("no page has anything from elsewhere, on a narrow screen nothing is wider than it", async () => {
    const page = await browser.open({ width: 320 });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(signInLink());
    await page.click("button.primary");
    await page.fill("input[name=name]", `a rather long name ${"x".repeat(60)}`);
    await page.click("text=Make the key");
    expect(await page.textContent("code.secret")).toMatch(/^ferry_/u);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    expect(new Set(asked)).toEqual(new Set([address]));
    expect(browser.complaints).toEqual([]);
  });
});
