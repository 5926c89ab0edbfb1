import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World, type WorldOptions } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, GITLAB_TOKEN: "glpat-abcdefghijkl1234" } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
  await world.dispose();
});

const call = (argv: readonly string[], options: WorldOptions = {}): Promise<FerryResult> =>
  ferry(world.next({}, options), ...argv);
const json = async (...argv: readonly string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await call([...argv, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as unknown;
};

test("GET with fields in the query, JSON out", async () => {
  await json("provider", "create", "--name", "work", "--token-env", "GITLAB_TOKEN");
  expect(await json("api", "GET", "code-providers", "-f", "limit=1")).toMatchObject({
    items: [{ name: "work", metadata: { token: "<redacted>" } }],
  });
  expect(await json("api", "get", "/api/v1/code-providers", "--paginate", "--fields", "name")).toEqual([{ name: "work" }]);
});

test("all pages are one array", async () => {
  for (const name of ["a", "b", "c"]) await json("repo", "create", "--clone-url", `https://x.example/acme/${name}.git`);
  expect(await json("api", "GET", "repositories?limit=1", "--paginate", "--fields", "name")).toEqual([
    { name: "c" },
    { name: "b" },
    { name: "a" },
  ]);
});

test("status and headers stand before no JSON that is to be parsed, and are not dropped without a word", async () => {
  for (const other of [["--json"], ["--jq", "."], ["--fields", "id"], ["--paginate"]]) {
    const { code, stdout, stderr } = await call(["api", "GET", "sessions", "-i", ...other]);
    const said = `ferry: give --include or ${other[0] ?? ""}, not both\n`;
    expect({ code, stdout, said: stderr.includes("{") ? (JSON.parse(stderr) as unknown) : stderr }).toMatchObject({
      code: 2,
      stdout: "",
      said: stderr.includes("{") ? { error: { message: said.slice("ferry: ".length, -1) } } : said,
    });
  }
  expect((await call(["api", "GET", "sessions", "-i"])).stdout).toMatch(/^HTTP 200\n/u);
});

test("pages with numbers for cursors are one array, too", async () => {
  const page = (count: string | null) => {
    const next = count === null ? "7" : count === "7" ? "9007199254740993" : '""';
    return `{"items":[{"id":"${count ?? ""}"}],"next_cursor":${next}}`;
  };
  world.services.set(url, async ({ url: asked }) => {
    async function* body() {
      yield Buffer.from(page(new URL(asked).searchParams.get("cursor")));
    }
    return { status: 200, headers: { "content-type": "application/json" }, body: body(), cancel: async () => undefined };
  });
  expect(await json("api", "GET", "things", "--paginate")).toEqual([{ id: "" }, { id: "7" }, { id: "9007199254740993" }]);
});

test("a write that a 303 sends on to what isn't there may have been done", async () => {
  world.services.set(url, async ({ method }) => ({
    ...(method === "POST" ? { status: 303, headers: { location: "/made" } } : { status: 404, headers: {} }),
    body: (async function* () {})(),
    cancel: async () => undefined,
  }));
  const { code, stderr } = await call(["api", "POST", "/sessions"]);
  expect({ code, stderr }).toEqual({
    code: 6,
    stderr:
      "ferry: GET /made: status 404; whether it was done is not known\n  hint: look whether it was done before you do it again\n",
  });
  expect((await call(["api", "GET", "/sessions"])).stderr).toContain("below /api/v1: sessions\n");
});

test("a body from fields, typed fields, a file or stdin", async () => {
  const { id } = (await json("repo", "create", "--clone-url", "https://x.example/acme/a.git")) as { id: string };
  expect(await json("api", "PATCH", `repositories/${id}`, "-F", "enabled=false")).toMatchObject({ enabled: false });
  const { stdout } = await call(["api", "PATCH", `repositories/${id}`, "--input", "-", "-i"], { stdin: '{"enabled":true}' });
  expect(stdout).toMatch(/^HTTP 200\n[\s\S]*content-type: application\/json[\s\S]*\n\n\{.*"enabled":true/u);
});

describe("what isn't JSON, and the headers", () => {
  const evil = "a\u001b]0;title\u0007\u009b31m";
  const answered = (argv: readonly string[], options: WorldOptions) => {
    const chunks = [Buffer.from(`${evil} one\r`), Buffer.from("\ntwo\n")];
    world.services.set(url, async () => ({
      status: 200,
      headers: { "content-type": "text/plain", "x-odd": evil, "set-cookie": "session=s3cret", "x-session-token": "s3cret" },
      body: (async function* () {
        yield* chunks;
      })(),
      cancel: async () => undefined,
    }));
    return call(["api", "GET", "/x", "-i", ...argv], options);
  };

  test("are harmless on a terminal, and show no cookie", async () => {
    const { stdout } = await answered([], { tty: true });
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
    expect(stdout).toContain("x-odd: a␛]0;title␇");
    expect(stdout).toContain(" one\ntwo\n");
    expect(stdout).toContain("set-cookie: <redacted>\nx-session-token: <redacted>\n");
  });

  test("are as they came in a pipe, but the cookie, which is for --show-secrets", async () => {
    const { stdout } = await answered([], {});
    expect(stdout).toContain(`x-odd: ${evil}\n`);
    expect(stdout).toContain(`${evil} one\r\ntwo\n`);
    expect(stdout).not.toContain("s3cret");
    expect((await answered(["--show-secrets"], {})).stdout).toContain("set-cookie: session=s3cret\n");
  });
});

test("a refusal: its body on stdout, its status in the exit code", async () => {
  expect(await call(["api", "GET", "sessions/none"])).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('"error"') as string,
    stderr: "ferry: GET /api/v1/sessions/none: status 404\n",
  });
  expect((await call(["api", "POST", "sessions", "-f", "nope=1"])).code).toBe(2);
  expect((await call(["api", "GET", "sessions", "-f", "nonsense"])).stderr).toContain("write it as name=value");
});

test("what stands in the query, or before the host, is in no error: it may be a secret", async () => {
  for (const argv of [
    ["GET", "sessions", "-f", "nope=hunter2"],
    ["GET", "sessions?nope=hunter2", "--paginate"],
    ["GET", "sessions/none?nope=hunter2", "--paginate"],
    ["GET", "https://ada:hunter2@agents.example.com/"],
  ]) {
    const { code, stderr } = await call(["api", ...argv]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).not.toContain("hunter2");
  }
  expect((await call(["session", "view", "https://ada:hunter2@agents.example.com/?key=hunter2"])).stderr).toBe(
    "ferry: this address names no session: https://agents.example.com/\n",
  );
});

test("an address in the place of the path is refused, whosever it is", async () => {
  world.services.clear();
  for (const address of ["https://evil.example/api/v1/sessions", `${url}/api/v1/sessions`])
    expect(await call(["api", "GET", address])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is an address\n") as string,
    });
});

test("a path without its slash is the same one; what Git's bash on Windows makes of one is told", async () => {
  expect(await json("api", "GET", "api/v1/sessions")).toEqual(await json("api", "GET", "/api/v1/sessions"));
  expect(await call(["api", "GET", "C:/Program Files/Git/api/v1/sessions"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "ferry: the path is one of files: C:/Program Files/Git/api/v1/sessions\n  hint: leave out the slash that it begins with\n",
  });
});

test("a path outside of the interface's that isn't there has a hint to the one below it", async () => {
  expect(await call(["api", "GET", "/sessions?limit=1"])).toMatchObject({
    code: 5,
    stderr: "ferry: GET /sessions: status 404\n  hint: without a slash at its start it lies below /api/v1: sessions\n",
  });
  expect((await call(["api", "GET", "/api/v1/nothing"])).stderr).not.toContain("hint");
});

test.each([["sessions #x"], ["sessions\n"], ["ses\nsions"], [" sessions"]])("%j would be cut, and is refused", async (path) => {
  expect(await call(["api", "GET", path])).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^ferry: no path has that in it: "[^\n]*"\n {2}hint: write # as %23, [^\n]*\n$/u) as string,
  });
});
