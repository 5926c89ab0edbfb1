import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listen } from "../../src/host/network/listener.ts";
import { confirmationCode } from "../../src/wire/login.ts";
import { ferry } from "../support/ferry.ts";
import { type LoginScene, makeLoginScene } from "../support/login.ts";

let scene: LoginScene;
beforeEach(async () => {
  scene = await makeLoginScene();
});
afterEach(async () => {
  expect(scene.service.errors).toEqual([]);
  await scene.close();
});

/** The page that the browser is left with. */
interface Left {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function visit(url: string): Promise<Left> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

test("Approve in the browser logs the terminal in, with the preset scopes", async () => {
  let left: Promise<Left> | undefined;
  let url = "";
  const { code, stdout, stderr } = await scene.login((asked) => {
    url = asked;
    left = scene.press(url, "approve").then(visit);
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain(`\n  ${url}\n`);
  // What others can read in the arguments of the browser says nothing of the login.
  expect(scene.world.opened).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{22}$/u)]);
  expect(stderr).toContain("logged in to 127.0.0.1:8080 as ada@example.com, workspace test\n");
  expect(stderr).toContain("the key is in the keychain; its scopes: sessions:all, code-providers:all, repositories:all\n");
  expect(await left).toMatchObject({ status: 200, text: expect.stringContaining("Go back to your terminal") as string });
  expect((await ferry(scene.world.next(), "whoami", "--json")).stdout).toContain('"name":"Ada"');
});

test("the page shows the code that the terminal shows, and who asks", async () => {
  let page = "";
  const { stderr } = await scene.login((url) => {
    const { pathname, search } = new URL(url);
    void scene.browser
      .get(pathname + search)
      .then(({ text }) => (page = text))
      .then(() => scene.press(url, "approve"))
      .then(visit);
  });
  const [, code = ""] = /The page must show the code (\S+)\./u.exec(stderr) ?? [];
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/u);
  for (const said of [code, "Linux 6.1", "0.1.0", "<dd>test</dd>"]) expect(page).toContain(said);
});

test("Deny ends it, with the reason on both sides", async () => {
  let left: Promise<Left> | undefined;
  const { code, stderr } = await scene.login((url) => {
    left = scene.press(url, "deny").then(visit);
  });
  expect(code).toBe(4);
  expect(stderr).toContain("ferry: the login was denied in the browser\n");
  expect((await left)?.text).toContain("gets no key");
  expect(scene.world.keychain.items.size).toBe(0);
});

test("--scopes asks for just those", async () => {
  const { stderr } = await scene.login(
    (url) => void scene.press(url, "approve").then(visit),
    ["--scopes", "sessions:read,all:all"],
  );
  expect(stderr).toContain("its scopes: sessions:read, all:all");
});

test("a scope that there is none of is told", async () => {
  const { code, stderr } = await scene.login(
    (url) => {
      const { pathname, search } = new URL(url);
      void scene.browser.get(pathname + search).then(({ headers }) => visit(headers.get("location") ?? ""));
    },
    ["--scopes", "everything"],
  );
  expect(code).toBe(4);
  expect(stderr).toContain("refused the scopes: each must be one of sessions:read");
});

describe("what is pasted", () => {
  async function paste(of: (location: URL, challenge: string) => string | Promise<string>) {
    const there = scene.world.next({}, { tty: true, listen, browse: () => undefined });
    let answer: (url: string) => void = () => undefined;
    const asked = new Promise<string>((resolve) => (answer = resolve));
    // A person who reads the address from the screen.
    const watching = async (text: string | Uint8Array) => {
      await there.terminal.stderr.write(text);
      const [, url] = /\n {2}(http\S+)\n/u.exec(String(text)) ?? [];
      if (url !== undefined) answer(url);
    };
    const terminal = { ...there.terminal, stderr: { ...there.terminal.stderr, write: watching } };
    const prompt = {
      ...there.prompt,
      text: async (): Promise<string> => {
        const start = await asked;
        const challenge = new URL(start).searchParams.get("code_challenge") ?? "";
        return of(new URL(await scene.press(start, "approve")), challenge);
      },
    };
    return ferry({ ...there, host: { ...there.host, terminal, prompt } }, "login", "--host", scene.site.origin);
  }

  test("the code alone", async () => {
    expect((await paste(({ searchParams }) => searchParams.get("code") ?? "")).code).toBe(0);
  });

  test("the whole address", async () => {
    expect((await paste(({ href }) => href)).code).toBe(0);
  });

  test("with what a terminal puts around and into it", async () => {
    expect((await paste(({ href }) => `  ${href.slice(0, 60)}\n   ${href.slice(60)}\r\n `)).code).toBe(0);
  });

  test("something else is said, and asked for again; so is the address of another login", async () => {
    let count = 0;
    const { code, stderr } = await paste(({ href }) => {
      count += 1;
      if (count === 1) return "what?";
      return count === 2 ? href.replace(/state=[^&]+/u, "state=other") : href;
    });
    expect(code).toBe(0);
    expect(stderr).toContain("that is neither a code nor the address that the browser ended at\n");
    expect(stderr).toContain("that is the address of another login\n");
  });

  test("the code that is only to be compared is told apart", async () => {
    let count = 0;
    const { code, stderr } = await paste(async ({ href }, challenge) =>
      ++count === 1 ? ` ${(await confirmationCode(challenge)).toLowerCase()}\n` : href,
    );
    expect(code).toBe(0);
    expect(stderr).toContain("that code is only to compare with the page's");
  });

  test("a slip in the code is said, and asked for again", async () => {
    let count = 0;
    const { code, stderr } = await paste(({ searchParams }) => `${searchParams.get("code") ?? ""}${++count === 1 ? "x" : ""}`);
    expect(code).toBe(0);
    expect(stderr).toContain("refused the code: it is not valid, or no longer");
  });
});
