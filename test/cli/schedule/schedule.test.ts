import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { commitFiles, makeRepository } from "../../support/git.ts";
import { makeScheduleService, type ScheduleService } from "../../support/schedule-service.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeTestService } from "../../support/service.ts";
import { makeWorld, type World, type WorldOptions } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let seed: SeedService;
let service: ScheduleService;
beforeEach(() => {
  seed = makeSeedService();
  service = makeScheduleService(seed);
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: seed.key } });
  world.services.set(url, service.send);
});
afterEach(() => world.dispose());

const call = (argv: readonly string[], options: WorldOptions = {}): Promise<FerryResult> =>
  ferry(world.next({}, options), "schedule", ...argv);
const nightly = ["create", "nightly", "--every", "day", "update", "the", "dependencies"] as const;

describe("create", () => {
  test("sends what was given, and nothing else", async () => {
    expect((await call(nightly)).code).toBe(0);
    expect(service.bodies).toEqual([{ name: "nightly", prompt: "update the dependencies", every: { n: 1, unit: "day" } }]);
  });

  test("days, a time of day, a zone and limits", async () => {
    const times = ["--every", "2w", "--on", "fri,Monday", "--at", "9:30", "--timezone", "europe/berlin"];
    const { code, stdout } = await call([...nightly, ...times, "--budget", "run=2,month=50.50", "--model", "m1", "--disabled"]);
    expect(code).toBe(0);
    expect(service.bodies).toEqual([
      {
        name: "nightly",
        prompt: "update the dependencies",
        every: { n: 2, unit: "week" },
        weekdays: ["monday", "friday"],
        time_of_day: "09:30",
        timezone: "Europe/Berlin",
        budget: { run: 2, month: 50.5 },
        model: "m1",
        enabled: false,
      },
    ]);
    expect(stdout).toContain("when:       every 2 weeks on mon, fri at 09:30 (Europe/Berlin)\n");
    expect(stdout).toContain("budget:     $2 a run, $50.50 a month\n");
    expect(stdout).toContain("next run:   off\n");
  });

  test("a time of day is this machine's, where no zone is given", async () => {
    await call([...nightly, "--at", "02:30"]);
    expect(service.bodies[0]).toMatchObject({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  });

  test("its repository is that of the working copy, or the one named", async () => {
    const git = makeRepository(join(world.folder, "repo"));
    commitFiles(git, { a: "a" });
    git("remote", "add", "origin", "git@gitlab.example:acme/shop.git");
    seed.repositories.push({ id: "r1", full_name: "acme/shop", clone_url: "https://gitlab.example/acme/shop.git" });
    seed.repositories.push({ id: "r2", full_name: "acme/other", clone_url: "https://gitlab.example/acme/other.git" });
    await call(["-C", git.folder, ...nightly]);
    await call(["-C", git.folder, ...nightly, "--repo", "acme/other"]);
    expect(service.bodies.map((body) => body["repository_id"])).toEqual(["r1", "r2"]);
  });

  test("the prompt from stdin", async () => {
    expect((await call(["create", "x", "--every", "6h", "-F", "-"], { stdin: "do it\n" })).code).toBe(0);
    expect(service.bodies).toMatchObject([{ prompt: "do it\n", every: { n: 6, unit: "hour" } }]);
  });

  test.each([
    [["--every", "sometimes"], "--every sometimes is no interval"],
    [["--every", "0d"], "--every 0d is no interval"],
    [["--every", "1d", "--at", "9:10"], "--at 9:10 is not on a quarter of an hour"],
    [["--every", "1d", "--at", "25:00"], "--at 25:00 is no time of day"],
    [["--every", "1d", "--on", "mon,someday"], "--on someday is no day"],
    [["--every", "1d", "--timezone", "Mars/Base"], "--timezone Mars/Base: there is none of that name"],
    [["--every", "1d", "--budget", "run=lots"], "--budget run=lots is no limit"],
    [["--every", "1d", "--budget", "year=5"], "--budget year=5 is no limit"],
    [[], "missing required option '--every <interval>'"],
  ])("%j: exit 2, before anything is asked of the service", async (options, message) => {
    world.services.clear();
    const { code, stderr } = await call(["create", "x", "do it", ...options]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^ferry: .*\n {2}hint: .*\n$/u) as string });
    expect(stderr).toContain(message);
  });

  test("without a prompt and a terminal: exit 2, how to give one", async () => {
    expect(await call(["create", "x", "--every", "1d"])).toMatchObject({
      code: 2,
      stderr: "ferry: the prompt is missing\n  hint: give it as words, or with -F FILE (-F - reads stdin)\n",
    });
  });
});

describe("one that is there", () => {
  beforeEach(async () => {
    await call([...nightly, "--at", "02:30", "--timezone", "UTC"]);
    service.bodies.length = 0;
  });

  test("list: when it runs next, relative on a terminal, as it came in a pipe", async () => {
    expect((await call(["list"])).stdout).toBe("s1\tnightly\tevery day at 02:30 (UTC)\t2026-01-01T02:30:00Z\t\n");
    expect((await call(["list"], { tty: true })).stdout).toBe(
      "ID  NAME     WHEN                       NEXT RUN  BUDGET\ns1  nightly  every day at 02:30 (UTC)  in 2h     –\n".replace(
        "WHEN                       ",
        "WHEN                      ",
      ),
    );
    expect(JSON.parse((await call(["ls", "--fields", "id,name"])).stdout)).toEqual([{ id: "s1", name: "nightly" }]);
  });

  test("view, by name and by id", async () => {
    const { stdout } = await call(["view", "nightly"]);
    expect(stdout).toContain("prompt:     update the dependencies\n");
    expect((await call(["view", "s1"])).stdout).toBe(stdout);
    seed.repositories.push({ id: "r1", full_name: "acme/shop" });
    Object.assign(service.schedules[0] ?? {}, { repository_id: "r1" });
    expect((await call(["view", "s1"])).stdout).toContain("repository: acme/shop\n");
    expect(await call(["view", "weekly"])).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^ferry: agents\.example\.com has no schedule weekly\n {2}s1 +nightly .*\n {2}hint: ferry schedule list\n$/u,
      ) as string,
    });
    expect((await call(["view", "weekly"], { tty: true })).stderr).toContain("\n  s1  nightly  12h ago\n");
    await call(nightly);
    expect(await call(["view", "nightly"])).toMatchObject({
      code: 2,
      stderr:
        "ferry: nightly could be several schedules\n  s1  nightly  2025-12-31T12:00:00Z\n  s2  nightly  2025-12-31T12:00:00Z\n  hint: name one by its id\n",
    });
  });

  test("edit sends the change alone; a limit can be taken away", async () => {
    await call(["edit", "nightly", "--at", "03:00", "--budget", "run=1,day=none"]);
    await call(["edit", "nightly", "--disable"]);
    await call(["edit", "nightly", "--enable", "--name", "daily", "-m", "do less"]);
    expect(service.bodies).toEqual([
      { time_of_day: "03:00", budget: { run: 1, day: null } },
      { enabled: false },
      { enabled: true, name: "daily", prompt: "do less" },
    ]);
    expect(await call(["edit", "daily"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nothing to change") as string,
    });
    expect((await call(["edit", "daily", "--enable", "--disable"])).code).toBe(2);
  });

  test("delete asks; in a pipe it wants --yes", async () => {
    expect((await call(["delete", "nightly"], { stdin: "y\n" })).code).toBe(2);
    const there = world.next({}, { tty: true });
    there.prompt.expect("Delete the schedule nightly of agents.example.com? Type nightly to confirm:", "nightly");
    expect(await ferry(there, "schedule", "rm", "nightly")).toMatchObject({
      code: 0,
      stderr: "the schedule nightly is deleted\n",
    });
    expect(service.schedules).toEqual([]);
  });

  test("run prints the session alone on stdout; runs lists it", async () => {
    const { code, stdout, stderr } = await call(["run", "nightly"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "0042\n",
      stderr: "nightly runs now; watch it with: ferry tail 0042\n",
    });
    service.runs.unshift({ id: "s9", schedule_id: "s1", status: "skipped", trigger: "time", reason: "budget", cost: 1.5 });
    expect((await call(["runs", "nightly"])).stdout).toBe(
      "\t\ttime\tskipped\t$1.50\tbudget\n0042\t2025-12-31T12:00:00Z\tuser\trunning\t\t\n",
    );
    expect(JSON.parse((await call(["runs", "nightly", "--jq", ".[0].reason"])).stdout.replace(/(.+)/u, '"$1"'))).toBe("budget");
    expect((await call(["runs", "nightly", "--limit", "1"])).stderr).toContain("there is more than this one");
  });

  test("a run is called by its session, as session view takes it", async () => {
    const ids = ["ses_abcdefgh11112222", "ses_abcdefgh33334444"];
    for (const id of ids) seed.sessions.push({ id, status: "active" });
    await call(nightly);
    for (const [at, session_id] of ids.entries())
      service.runs.push({ id: `run_0000000${at}`, schedule_id: "s1", session_id, status: "running", trigger: "time" });
    const { stdout } = await call(["runs", "nightly"], { tty: true });
    const shown = stdout.split("\n").slice(1, 3);
    for (const [at, line] of shown.entries()) {
      const typed = line.split(" ")[0] ?? "";
      expect((await ferry(world.next(), "session", "view", typed)).stdout).toContain(ids[at]);
    }
  });

  test("a run that is skipped is exit 1, and says why", async () => {
    service.begin = ({ id }) => ({
      schedule_id: id,
      status: "skipped",
      trigger: "user",
      reason: "the budget of the day is spent",
    });
    expect(await call(["run", "nightly"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "ferry: nightly was skipped: the budget of the day is spent\n",
    });
  });
});

describe("a service without them is told plainly", () => {
  const told = (name: string) =>
    `ferry: ${name} has no scheduled agents that a program can manage\n  hint: look for them in its portal, or let cron start: ferry run\n`;

  test("of the seed alone", async () => {
    world.services.set(url, seed.send);
    expect(await call(["list"])).toEqual({
      code: 1,
      stdout: "",
      stderr: told("agents.example.com"),
    });
  });

  test("the embedded one's interface, on another machine", async () => {
    const embedded = await makeTestService();
    world.services.set(url, embedded.send);
    const there = world.next({ env: { FERRY_API_KEY: embedded.key } });
    expect(await ferry(there, "schedule", "list")).toMatchObject({
      code: 1,
      stderr: "ferry: agents.example.com has no scheduled agents\n  hint: let cron start: ferry run\n",
    });
    await embedded.close();
  });
});
