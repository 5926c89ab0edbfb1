import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, TOKEN: "glpat-abcdefghijkl1234" } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next(), ...argv);
const repository = (name: string): Promise<FerryResult> =>
  call("repo", "create", "--clone-url", `https://x.example/acme/${name}.git`);

test("each output is a line, strings as they are", async () => {
  for (const name of ["a", "b"]) await repository(name);
  expect(await call("repo", "list", "--jq", ".[].full_name")).toEqual({ code: 0, stdout: "acme/b\nacme/a\n", stderr: "" });
  expect((await call("repo", "list", "--jq=map({name})")).stdout).toBe('[{"name":"b"},{"name":"a"}]\n');
  expect((await call("repo", "list", "--jq", "empty")).stdout).toBe("");
  expect((await call("repo", "list", "--jq", "-1 + length")).stdout).toBe("1\n");
  expect((await call("repo", "list", "--fields", "name", "--jq", ".[0]")).stdout).toBe('{"name":"b"}\n');
});

test("an expression for one, given to a list, is told how it is written for each", async () => {
  await repository("a");
  expect((await call("repo", "list", "--jq", ".id")).stderr).toContain("a list is one array: .[].id, not .id");
  expect((await call("repo", "list", "--jq", ".[].id.x")).stderr).not.toContain("hint");
});

test("who asks for a further input is told that there is none", async () => {
  const { code, stderr } = await call("repo", "list", "--jq", ".[], input");
  expect({ code, error: (JSON.parse(stderr) as { error: unknown }).error }).toMatchObject({
    code: 1,
    error: { message: "--jq: there is no further input: . is all of it" },
  });
});

test("a stream goes line by line", async () => {
  await repository("a");
  const id = (await call("session", "start", "--repo", "acme/a", "-m", "do it", "--jq", ".id")).stdout.trim();
  await service.sessions.finishTurn(id, "done");
  expect((await call("events", id, "--jq", ".payload.message | strings")).stdout).toBe("do it\ndone\n");
  expect((await call("events", id, "--jq", ".[].type")).stderr).toContain("each event is an input of its own here: .type");
  expect((await call("events", id, "--jq", ".type | .[]")).stderr).not.toContain("hint");
});

test("secrets are cut before it sees them, and the environment is not for it", async () => {
  const argv = ["provider", "create", "--name", "x", "--token-env", "TOKEN", "--jq"];
  expect(await call(...argv, ".metadata.token")).toMatchObject({ code: 0, stdout: "<redacted>\n" });
  const { stdout } = await world.host.jq({ input: "1", expression: "env, $ENV", flags: ["-c"] }, new AbortController().signal);
  expect(stdout).toBe("{}\n{}\n");
});

test.each(["env", "$ENV.HOME", ".[] | select(.id==env.ID)", "[.a, env]", '"\\($ENV.X)"', "env|keys"])(
  "one that wants the environment is refused: %s",
  async (expression) => {
    expect(await call("repo", "list", "--no-input", "--jq", expression)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${JSON.stringify({
        error: {
          kind: "usage",
          message: "--jq: the environment (env, $ENV) is not for it",
          hint: "write the value itself, or pipe the output of --json to jq",
        },
      })}\n`,
    });
  },
);

test.each([
  ".[].env",
  "map({env})",
  "map({id, env})",
  "map({env: 1})",
  'map(select(.name == "an env"))',
  ".[] | .environment",
  ". # env",
])("one that has the word as a key or a text is not: %s", async (expression) => {
  expect((await call("repo", "list", "--jq", expression)).code).toBe(0);
});

describe("an expression that can't be read is exit 2 with its place, before anything is done", () => {
  test.each([
    [".a |", "ferry: --jq: syntax error, unexpected end of file (line 1, column 4)\n"],
    ["nope(1)", "ferry: --jq: nope/1 is not defined (line 1, column 1)\n"],
    ["{", "ferry: --jq: syntax error, unexpected end of file (line 1, column 1)\n"],
  ])("%s", async (expression, line) => {
    const argv = ["repo", "create", "--clone-url", "https://x.example/acme/a.git", "--jq", expression];
    const { code, stdout, stderr } = await call(...argv, "--no-input");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", message: line.slice("ferry: ".length).trimEnd() } });
    expect((await call("repo", "list", "--json")).stdout).toBe("[]\n");
  });
});

test("one that fails on the data is exit 1; what it gave before that is printed", async () => {
  await repository("a");
  const { code, stdout, stderr } = await call("repo", "list", "--jq", ".[0].name, .[0].name[]");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "a\n" });
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: '--jq: Cannot iterate over string ("a")' } });
});

test("what it says of its own goes to stderr", async () => {
  expect(await call("repo", "list", "--jq", "debug")).toEqual({ code: 0, stdout: "[]\n", stderr: '["DEBUG:",[]]\n' });
});
