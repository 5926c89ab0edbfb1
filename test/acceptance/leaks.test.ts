import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { describeWith } from "../support/programs.ts";
import { startOnTerminal } from "../support/pty.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { approveByHand } from "../support/web-person.ts";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

/** What a process starts, writes and sends, with its arguments, its environment, and where each byte goes. */
const traced = "trace=execve,write,writev,pwrite64,pwritev,sendto,sendmsg,openat,open,rename,link,symlink";

describeWith(["strace", "script"], "the key is nowhere but in its store and in the header of a request to its own origin", () => {
  let place: Binary;
  let service: Serving;
  let key: string;
  const screens: string[] = [];
  const trace = (name: string) => join(place.folder, `${name}.trace`);
  const strace = (name: string) => ["strace", "-f", "-v", "-yy", "-s", "65536", "-e", traced, "-o", trace(name)];

  beforeAll(async () => {
    place = makeBinary();
    service = await startServing(place);
    const ferry = [...strace("login"), process.execPath, ferryPath, "--verbose", "login", "--host", service.address];
    const terminal = startOnTerminal(place, ferry);
    const [, url = ""] = await terminal.see(/^ {2}(http:\S+)\r?$/mu);
    await approveByHand(url, service.signInCode());
    expect(await terminal.ended).toBe(0);
    screens.push(terminal.screen());
    const credentials = JSON.parse(readFileSync(join(place.folder, "config", "credentials.json"), "utf8")) as Record<
      string,
      Record<string, string>
    >;
    key = Object.values(credentials["ferry"] ?? {})[0] ?? "";
    expect(key).toMatch(/^ferry_[\w-]{43}$/u);
  });
  afterAll(() => place.dispose());

  /** The lines of a trace that have the key in them, each as `CALL(WHERE`. */
  const withKey = (name: string): string[] =>
    readFileSync(trace(name), "utf8")
      .split("\n")
      .filter((line) => line.includes(key))
      .map((line) => /^\d+ +(\w+\([^,]*)/u.exec(line)?.[1] ?? line);

  test("login writes it into the store's temporary file, and sends it to the service", () => {
    const { host } = new URL(service.address);
    const where = withKey("login");
    const allowed = [
      new RegExp(`^p?write(64)?\\(\\d+<${place.folder}/config/credentials\\.json\\.[0-9a-f]+>`, "u"),
      new RegExp(`^(write|writev|sendto|sendmsg)\\(\\d+<TCP:\\[127\\.0\\.0\\.1:\\d+->${host.replaceAll(".", "\\.")}\\]>`, "u"),
    ];
    expect(where.filter((call) => !allowed.some((form) => form.test(call)))).toEqual([]);
    expect(where.length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ["whoami", ["--verbose", "whoami"]],
    ["list", ["--verbose", "session", "list", "--json"]],
    ["status", ["auth", "status", "--json"]],
    ["keys", ["--verbose", "key", "list", "--json"]],
    ["crash", ["--verbose", "session", "view", "ses_none", "--json"]],
    ["refused", ["--verbose", "api", "GET", "/api/v1/api-keys"]],
    ["logout", ["--verbose", "logout", "--json"]],
  ])("%s sends it to the service alone, and prints it nowhere", async (name, argv) => {
    const [program = "", ...before] = strace(name);
    const terminal = startOnTerminal(place, [program, ...before, process.execPath, ferryPath, ...argv]);
    await terminal.ended;
    screens.push(terminal.screen());
    const where = withKey(name);
    expect(where.length).toBeGreaterThan(0);
    const others = where.filter((call) => !/^(write|writev|sendto|sendmsg)\(\d+<TCP:/u.test(call));
    expect(others).toEqual([]);
  });

  test("afterwards it is in no file, on no screen, in no log and in no process's arguments or environment", async () => {
    expect(place.processes().length).toBeGreaterThan(0);
    for (const pid of place.processes())
      for (const name of ["cmdline", "environ"]) expect(readFileSync(`/proc/${pid}/${name}`, "utf8")).not.toContain(key);
    const log = await service.stop();
    expect(log).toContain("/oauth/token");
    expect([...screens, log].filter((text) => text.includes(key))).toEqual([]);
    const holders = files(place.folder).filter((path) => !path.endsWith(".trace") && readFileSync(path).includes(key));
    expect(holders).toEqual([]);
  });

  function files(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile());
  }
});
