import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPassword } from "../../../src/service/keys/password.ts";
import { accountsIn } from "../../../src/service/running/accounts.ts";
import { ferry } from "../../support/ferry.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

const password = "correct horse battery";
const accounts = () => accountsIn(join(world.folder, "data"), world.host);
const add = (name: string, stdin: string | Uint8Array = `${password}\n`) =>
  ferry(world.next({}, { stdin }), "service", "user", "add", name, "--password-stdin");

test("a user is added with a password from stdin, listed, and removed", async () => {
  expect(await add("ada")).toEqual({
    code: 0,
    stdout: "",
    stderr: "ada can sign in, where the service is served with --tls-cert or --behind-proxy\n",
  });
  expect(await isPassword(password, (await accounts().find("ada"))?.password ?? "")).toBe(true);
  const listed = await ferry(world.next(), "service", "user", "list", "--json");
  expect(JSON.parse(listed.stdout)).toEqual([
    { id: expect.stringMatching(/^usr_/u) as string, name: "ada", created_at: expect.stringMatching(/Z$/u) as string },
  ]);
  for (const verb of ["list", "ls"]) expect((await ferry(world.next(), "service", "user", verb)).stdout).toMatch(/^ada\t\d{4}-/u);
  expect(await ferry(world.next(), "service", "user", "show")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("add, list, password, remove") as string,
  });

  expect(await ferry(world.next(), "service", "user", "remove", "ada")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not done: Remove ada, and revoke all of their keys?") as string,
  });
  const removed = await ferry(world.next(), "service", "user", "rm", "ada", "--yes", "--json");
  expect(removed).toMatchObject({ code: 0, stderr: "ada is no user any more; their keys are revoked\n" });
  expect([JSON.parse(removed.stdout)]).toEqual(JSON.parse(listed.stdout));
  expect(await accounts().list()).toEqual([]);
});

test("on a terminal the password is asked for twice, unseen", async () => {
  const there = world.next({}, { tty: true });
  there.prompt.expect("Password for ada (12 characters or more)", password);
  there.prompt.expect("The same once more", password);
  expect((await ferry(there, "service", "user", "add", "ada")).code).toBe(0);
  const again = world.next({}, { tty: true });
  again.prompt.expect("Password for ada", "another long password");
  again.prompt.expect("The same once more", "another long passwort");
  expect(await ferry(again, "service", "user", "password", "ada")).toMatchObject({
    code: 2,
    stderr: "ferry: the two are not the same: nothing was changed\n",
  });
  expect(await isPassword(password, (await accounts().find("ada"))?.password ?? "")).toBe(true);
});

test("a new password takes the old one's place", async () => {
  await add("ada");
  const there = world.next({}, { stdin: "another long password" });
  expect((await ferry(there, "service", "user", "password", "ada", "--password-stdin")).code).toBe(0);
  const stored = (await accounts().find("ada"))?.password ?? "";
  expect([await isPassword(password, stored), await isPassword("another long password", stored)]).toEqual([false, true]);
});

test("while a service of another version runs its database stays as it is", async () => {
  const { host, folder } = world;
  await accounts().list();
  const data = join(folder, "data");
  for (const name of ["key", "origin"]) await host.files.write(join(data, name), "x", 0o600);
  const running = {
    pid: process.pid,
    start_time: await host.processes.startTime(process.pid),
    socket: join(data, "s"),
    version: "0.0.1",
  };
  await host.files.write(join(data, "service.json"), JSON.stringify(running), 0o600);
  expect(await ferry(world.next(), "service", "user", "list")).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("the service that runs is of ferry 0.0.1") as string,
  });
});

test("list takes no name, which is said and not passed over", async () => {
  expect(await ferry(world.next(), "service", "user", "list", "ada")).toEqual({
    code: 2,
    stdout: "",
    stderr: "ferry: list takes no name\n  hint: all of them: ferry service user list\n",
  });
});

describe("--data", () => {
  test("a file is told as no folder, and not as one that a service can be made in", async () => {
    const file = join(world.folder, "a-file");
    writeFileSync(file, "x");
    expect(await ferry(world.next(), "service", "user", "list", "--data", "a-file")).toEqual({
      code: 2,
      stdout: "",
      stderr: `ferry: not a folder: ${file}\n  hint: name the data folder of a service\n`,
    });
  });

  test("names another service's folder, which is there", async () => {
    await accountsIn(join(world.folder, "other"), world.host).list();
    const there = world.next({}, { stdin: password });
    expect(await ferry(there, "service", "user", "add", "eve", "--password-stdin", "--data", "other")).toMatchObject({ code: 0 });
    expect((await ferry(world.next(), "service", "user", "list", "--data", "other")).stdout).toMatch(/^eve\t/u);
    expect(await accounts().list()).toEqual([]);
  });

  test("is repeated in what a hint says to type", async () => {
    const other = join(world.folder, "other folder");
    await accountsIn(other, world.host).list();
    const call = (...argv: string[]) =>
      ferry(world.next({}, { stdin: password }), "service", "user", ...argv, "--data", "other folder");
    const flag = `--data "${other}"`;
    expect((await call("add")).stderr).toContain(`\n  hint: ferry service user add ${flag} NAME\n`);
    expect((await call("remove", "eve", "--yes")).stderr).toContain(`\n  hint: see ferry service user list ${flag}\n`);
    await call("add", "eve", "--password-stdin");
    const { stderr } = await call("add", "eve", "--password-stdin");
    expect(stderr).toContain(`\n  hint: ferry service user password ${flag} eve gives them another password\n`);
    const [, typed = ""] = /hint: ferry service user (.*) gives/u.exec(stderr.replace(`"${other}"`, "DIR")) ?? [];
    const argv = [...typed.split(" ").map((word) => (word === "DIR" ? other : word)), "--password-stdin"];
    expect((await ferry(world.next({}, { stdin: password }), "service", "user", ...argv)).code).toBe(0);
  });

  test.each(["add", "list", "password", "remove"])("%s where there is no service's data makes none", async (action) => {
    const typed = world.next({}, { stdin: password });
    const there = join(world.folder, "nowhere");
    expect(await ferry(typed, "service", "user", action, "ada", "--yes", "--data", "nowhere")).toEqual({
      code: 5,
      stdout: "",
      stderr: `ferry: no service has its data in ${there}\n  hint: ferry serve --data ${there} makes one\n`,
    });
    expect(await world.host.files.status(there)).toBeUndefined();
  });
});

describe("is refused:", () => {
  test("a name that is taken, on a terminal before a password is asked for", async () => {
    await add("ada");
    expect((await ferry(world.next({}, { tty: true }), "service", "user", "add", "ada")).stderr).toMatch(
      /^ferry: there is a user ada already\n/u,
    );
  });

  test("a name that is taken", async () => {
    await add("ada");
    expect(await add("ada")).toMatchObject({
      code: 2,
      stderr: "ferry: there is a user ada already\n  hint: ferry service user password ada gives them another password\n",
    });
  });

  test.each(["Ada", "", "-x", "a b", "ada\u001b[m", "x".repeat(65), "адa"])("the name %j", async (name) => {
    const { code } = await ferry(world.next({}, { stdin: password }), "service", "user", "add", "--password-stdin", "--", name);
    expect([code, await accounts().list()]).toEqual([2, []]);
  });

  test.each<[string | Uint8Array, string]>([
    ["short\n", "a password has 12 characters or more"],
    ["", "a password has 12 characters or more"],
    [`${password}\n${password}\n`, "a password is one line, without control characters"],
    [new Uint8Array([0xff, ...Buffer.from(password)]), "the password isn't UTF-8"],
  ])("the password %j", async (stdin, why) => {
    expect(await add("ada", stdin)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
  });

  test("a password in the arguments, and none at all", async () => {
    expect((await ferry(world.next(), "service", "user", "add", "ada", password)).code).toBe(2);
    expect(await ferry(world.next(), "service", "user", "add", "ada")).toMatchObject({
      code: 2,
      stderr: "ferry: no password was given\n  hint: pipe it in: --password-stdin\n",
    });
  });

  test.each(["add", "password", "remove"])("%s of nobody", async (action) => {
    expect(await ferry(world.next(), "service", "user", action)).toMatchObject({ code: 2 });
  });

  test.each(["password", "remove"])("%s of one that isn't there", async (action) => {
    const { code, stderr } = await ferry(world.next({}, { stdin: password }), "service", "user", action, "eve", "--yes");
    expect([code, stderr]).toEqual([5, "ferry: there is no user eve\n  hint: see ferry service user list\n"]);
  });
});
