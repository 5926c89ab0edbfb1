import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

// Against a service that has the seed's interface alone, and refuses every field and parameter that the seed doesn't show.
let world: World;
let service: SeedService;
let git: TestGit;

beforeEach(() => {
  service = makeSeedService({ bare: true });
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
});
afterEach(() => world.dispose());

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next({ cwd: git.folder }), ...argv);

test("run without a pull works, with the seed's fields alone", async () => {
  const { code, stdout, stderr } = await call("run", "--pull", "none", "--branch", "fix/x", "--model", "m1", "do it");
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("do it") as string });
  expect(stderr).toBe("host: agents.example.com\nrepository: the service's choice\nbase: the service's choice\nsession: 0001\n");
  expect(service.sessions).toMatchObject([{ branch_name: "fix/x", model: "m1", auto_commit: true }]);
  expect(git("config", "branch.main.ferrySession")).toBe("0001");
});

test("session start sends what was given, and nothing else", async () => {
  const bodies: unknown[] = [];
  world.services.set(url, (request) => {
    if (request.method === "POST") bodies.push(JSON.parse(String(request.body)) as unknown);
    return service.send(request);
  });
  for (const flags of [[], ["--auto-commit"], ["--no-auto-commit", "--model", "m1"]]) await call("session", "start", ...flags);
  expect(bodies).toEqual([{}, { auto_commit: true }, { auto_commit: false, model: "m1" }]);
});

test.each([
  [["--repo", "acme/shop"], "ferry: agents.example.com chooses the repository of a session itself\n  hint: leave --repo out\n"],
  [
    ["--base", "main"],
    "ferry: agents.example.com chooses the branch to start from of a session itself\n  hint: leave --base out\n",
  ],
])("what no field of the seed can say is refused before a session is made: %j", async (flags, stderr) => {
  expect(await call("session", "start", ...flags)).toEqual({ code: 1, stdout: "", stderr });
  expect(service.sessions).toEqual([]);
});

test("sessions are listed newest first, whatever order they come in", async () => {
  for (const branch of ["a", "b", "c"]) await call("session", "start", "--branch", branch);
  const listed = (...argv: readonly string[]) => call("session", "list", "--jq", ".[].branch_name", ...argv);
  expect((await listed()).stdout).toBe("c\nb\na\n");
  expect(await listed("--limit", "1")).toMatchObject({
    stdout: "c\n",
    stderr: expect.stringContaining("there is more") as string,
  });
});

test("--repo, where no session says which repository it is of: said, not told as none", async () => {
  service.repositories.push({ id: "rep_1", full_name: "acme/shop" });
  service.sessions.push({ id: "1" });
  expect(await call("session", "list", "--repo", "acme/shop")).toEqual({
    code: 0,
    stdout: "",
    stderr: "no sessions\nthe sessions of agents.example.com don't tell which repository they are of\n",
  });
});

test("events: where none is shown, it is said why", async () => {
  await call("session", "start");
  expect(await call("events")).toEqual({ code: 0, stdout: "", stderr: "no events\n" });
  await call("say", "hi");
  const none = { code: 0, stdout: "", stderr: "none of 1 events is shown\n" };
  expect(await call("events", "--type", "session_closed")).toEqual(none);
  expect(await call("events", "--type", "session_closed", "--json")).toMatchObject({ stdout: "", stderr: "" });
});

test("what is called the same is told apart by more than the id", async () => {
  service.repositories.push(
    { id: "r1", full_name: "acme/shop", clone_url: "https://gitlab.com/acme/shop.git" },
    { id: "r2", full_name: "acme/shop", clone_url: "https://gitlab.example.com/acme/shop.git" },
  );
  const { code, stderr } = await call("repo", "view", "acme/shop");
  expect(code).toBe(2);
  expect(stderr).toContain("\n  r1  acme/shop  https://gitlab.com/acme/shop.git\n  r2  acme/shop  https://gitlab.example.com/");
});

test("with one it is refused before a session is made", async () => {
  const { code, stderr } = await call("run", "do it");
  expect({ code, sessions: service.sessions }).toEqual({ code: 1, sessions: [] });
  expect(stderr).toBe(
    "ferry: agents.example.com doesn't send its commits, and knows no repository of a remote here\n  hint: register it: ferry repo create; or go without its commits: --pull none\n",
  );
});

test("patch says that there are no commits to be had as patches, and where else", async () => {
  await call("run", "--pull", "none", "do it");
  const { code, stdout, stderr } = await call("patch");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^ferry: agents\.example\.com doesn't send its commits\n {2}hint: .*--source/u);
});

test("a question ends the wait with exit 3; the answer goes on", async () => {
  service.agent = (session, message, timeline) => {
    session["agent_status"] = "thinking hard";
    const answered = timeline.some(({ type }) => type === "agent_ask_user");
    if (answered) session["status"] = "finished";
    message["status"] = answered ? "completed" : "processing";
    if (!answered)
      timeline.push({
        ...message,
        id: "q1",
        type: "agent_ask_user",
        status: "processing",
        client_id: "",
        payload: {
          type: "agent_ask_user",
          question: "Which?",
          options: [
            { id: "a", name: "A" },
            { id: "b", name: "7" },
          ],
        },
      });
  };
  const asked = await call("run", "--pull", "none", "do it");
  expect(asked).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/ferry: the agent asks you something\n {2}hint: ferry say --session 0001/u) as string,
  });
  expect(await call("say", "3")).toEqual({
    code: 2,
    stdout: "",
    stderr: "ferry: the question has no option 3\n  hint: it has options 1 to 2; an answer in words is more than a number\n",
  });
  // It knows no numbers of ours: it is told what the option is called, and a number that names none is just a text.
  expect(await call("say", "1")).toMatchObject({ code: 0, stderr: expect.stringContaining("option 1: A\n") as string });
  const last = () => service.events.get("0001")?.at(-1);
  expect(last()).toMatchObject({ type: "user_message", payload: { message: "A" } });
  await call("say", "1");
  expect(last()).toMatchObject({ type: "user_message", payload: { message: "1" } });
});

test("an option that has its text under another name is shown by it, and sent by it", async () => {
  service.agent = (session, message, timeline) => {
    session["agent_status"] = "waiting_for_user";
    const options = [{ id: "yes", label: "Yes, delete it" }, { id: "no", label: "No" }, { id: "later" }, 10];
    const payload = { type: "agent_ask_user", question: "Delete it?", options };
    timeline.push({ ...message, id: `q${timeline.length}`, type: "agent_ask_user", client_id: "", payload });
  };
  await call("session", "start");
  await call("say", "go");
  expect((await call("events")).stdout).toMatch(/1 {2}Yes, delete it\n +2 {2}No\n +3 {2}later/u);
  await call("say", "2");
  await call("say", "3");
  await call("say", "4");
  await call("say", "10");
  const said = service.events.get("0001")?.filter(({ type }) => type === "user_message");
  expect(said?.map(({ payload }) => (payload as { message: string }).message)).toEqual(["go", "No", "later", "10", "10"]);
});

test("a number is no option's but its name: it is sent as it is", async () => {
  service.agent = (session, message, timeline) => {
    session["agent_status"] = "thinking hard";
    const payload = { type: "agent_ask_user", question: "Which?", options: [{ id: "a", name: "10" }] };
    timeline.push({ ...message, id: `q${timeline.length}`, type: "agent_ask_user", client_id: "", payload });
  };
  await call("session", "start");
  await call("say", "go");
  expect(await call("say", "10")).toMatchObject({ code: 0 });
  expect(
    service.events
      .get("0001")
      ?.filter(({ type }) => type === "user_message")
      .at(-1),
  ).toMatchObject({
    payload: { message: "10" },
  });
});

test.each([
  ["session list", []],
  ["repo list", []],
  ["provider list", []],
])("%s", async (argv, expected) => {
  const { code, stdout } = await call(...argv.split(" "), "--json");
  expect({ code, value: JSON.parse(stdout) as unknown }).toEqual({ code: 0, value: expected });
});

test("what the service can't do is told plainly", async () => {
  await call("session", "start");
  expect(await call("session", "cancel")).toMatchObject({ code: 1, stderr: "ferry: this service can't stop a running turn\n" });
  expect(await call("session", "close")).toMatchObject({ code: 1, stderr: "ferry: this service can't end a session\n" });
  expect(await call("pull")).toMatchObject({ code: 1 });
});

/** It takes writes of a session, and sends whoever made one on to what isn't there. */
const sendOn = (): void =>
  void world.services.set(url, async (request) => {
    if (request.method === "GET" || request.url.endsWith("/messages") || request.url.endsWith("/sessions"))
      return service.send(request);
    return { ...(await service.send({ ...request, method: "GET" })), status: 303, headers: { location: "/made" } };
  });

test("what was done, perhaps, is nothing that the service can't do", async () => {
  await call("session", "start");
  sendOn();
  for (const verb of ["cancel", "close"]) {
    const { code, stderr } = await call("session", verb);
    expect(stderr).toMatch(/^ferry: .*; whether it was done is not known\n {2}hint: look whether it was done before/u);
    expect(code).not.toBe(0);
  }
});

test("a session that was told to stop, perhaps, may go on", async () => {
  service.agent = (session) => void (session["agent_status"] = "working");
  const watched = world.next({ cwd: git.folder });
  const running = ferry(watched, "run", "--pull", "none", "--cancel-on-interrupt", "do it");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("do it");
  sendOn();
  watched.interrupt();
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toMatch(/0001 may go on: .*; whether it was done is not known\n {2}hint: follow it: ferry tail 0001\n$/u);
});

test.each([
  [[], /^ferry: interrupted: 0001 goes on\n {2}hint: follow it: ferry tail 0001\n$/mu],
  [
    ["--cancel-on-interrupt"],
    /^ferry: interrupted: 0001 could not be told to stop, and goes on: this service can't stop a running turn\n {2}hint: follow it: ferry tail 0001\n$/mu,
  ],
  [
    ["--json"],
    /^\{"error":\{"kind":"interrupted","message":"interrupted: 0001 goes on","hint":"follow it: ferry tail 0001"\}\}\n$/mu,
  ],
])("Ctrl-C names nothing that the service can't do, and says that the session goes on: %j", async (flags, told) => {
  service.agent = (session, message) => {
    session["agent_status"] = "working";
    message["status"] = "processing";
  };
  const watched = world.next({ cwd: git.folder });
  const running = ferry(watched, "run", "--pull", "none", ...flags, "do it");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("do it");
  watched.interrupt();
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toMatch(told);
});

test("a service that is gone can't be told to stop: it is said what goes on", async () => {
  service.agent = (session) => void (session["agent_status"] = "working");
  const watched = world.next({ cwd: git.folder });
  const running = ferry(watched, "run", "--pull", "none", "--cancel-on-interrupt", "do it");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("do it");
  world.services.set(url, async () => {
    throw new NoAnswerError("agents.example.com: connection refused", { sent: false });
  });
  watched.interrupt();
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toMatch(/0001 could not be told to stop, and goes on: .+\n {2}hint: follow it: ferry tail 0001\n$/u);
});

test("a field that is missing is –, a word that is unknown is shown as it is", async () => {
  service.sessions.push({ id: "0009", status: "hibernating", agent_status: null });
  const { stdout } = await call("session", "view", "0009");
  expect(stdout).toContain("status:      hibernating\n");
  expect(stdout).toContain("agent:       –\n");
  expect((await call("session", "list")).stdout).toBe("0009\t\thibernating\t\t\t\t\n");
});

test("types and statuses of the service's own are known by its data", async () => {
  await call("run", "--pull", "none", "do it");
  service.events.get("0001")?.push({ id: "9", type: "agent_dream", status: "completed", payload: {} });
  for (const session of service.sessions) session["status"] = "paused";
  expect((await call("events", "--json", "--fields", "id", "--type", "agent_dream")).stdout).toBe('{"id":"9"}\n');
  expect((await call("session", "list", "--status", "paused", "--json", "--fields", "id")).stdout).toBe('[{"id":"0001"}]\n');
  expect((await call("session", "list", "--status", "pausd")).stderr).toContain("did you mean paused?");
});

test("an event without an id has none in JSON, whatever is picked from it; one with a number keeps that", async () => {
  service.sessions.push({ id: "0009", status: "active" });
  service.events.set("0009", [{ type: "agent_message" }, { id: 7, type: "agent_message" }]);
  expect((await call("events", "0009", "--fields", "id")).stdout).toBe('{"id":null}\n{"id":7}\n');
  expect((await call("events", "0009", "--jq", "[.id,.type]")).stdout).toBe('[null,"agent_message"]\n[7,"agent_message"]\n');
});

test.each([
  ["failed", "the agent has failed"],
  ["stopped", "the agent was stopped"],
])("tail says on a terminal that the agent does nothing since it is %s", async (status, told) => {
  await call("session", "start");
  Object.assign(service.sessions[0] ?? {}, { agent_status: status });
  const watched = world.next({ cwd: git.folder }, { tty: true });
  const watching = ferry(watched, "tail", "0001");
  await expect
    .poll(() => watched.terminal.written.stderr, { timeout: 10_000 })
    .toContain(`${told}; Ctrl-C ends the watching (--until idle ends by itself)\n`);
  watched.interrupt();
  expect((await watching).code).toBe(130);
});
