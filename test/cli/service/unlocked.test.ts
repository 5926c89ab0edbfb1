import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeBinary, type Binary } from "../../support/binary.ts";
import { commitFiles, makeRepository } from "../../support/git.ts";
import { makeServicePlace } from "../../support/service-host.ts";

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

const what = "process: the agent can do to this machine what you can";
const line = `no sandbox (${what})`;
const rowsOf = (text: string) => JSON.parse(text) as { name: string; verdict: string; says: string }[];

test("that agents aren't locked in is said by whatever starts the service, or has an agent do something there", async () => {
  const { folder: cwd } = makeCommitted();
  const said = async (...argv: string[]) => {
    const { code, stderr, stdout } = await ferry.run(argv, { cwd });
    return { code, times: stderr.split("\n").filter((each) => each === line).length, stdout };
  };
  const once = { code: 0, times: 1 };
  expect(await said("service", "start", "--sandbox", "process")).toMatchObject(once);
  expect(await said("service", "start")).toMatchObject(once);
  expect(await said("service", "start", "-q")).toMatchObject({ code: 0, times: 0 });
  expect(await said("run", "--host", "local", "--model", "shell", "--pull", "none", "true")).toMatchObject(once);
  expect(await said("run", "-q", "--host", "local", "--model", "shell", "--pull", "none", "true")).toMatchObject({ times: 0 });
  expect(await said("say", "true")).toMatchObject(once);
  expect(await said("message", "send", "-", "true")).toMatchObject(once);
  const started = await said("session", "start", "--host", "local", "--model", "shell", "-m", "true", "--json");
  expect(started).toMatchObject(once);
  expect(JSON.parse(started.stdout)).toHaveProperty("id");
  expect(await said("session", "list")).toMatchObject({ code: 0, times: 0 });

  expect((await said("service", "status")).stdout).toMatch(new RegExp(`^sandbox: +${what}$`, "mu"));
  expect(JSON.parse((await said("service", "status", "--json")).stdout)).toMatchObject({ sandbox: "process" });
  const { stdout } = await said("doctor", "--json");
  expect(rowsOf(stdout)).toContainEqual(
    expect.objectContaining({
      name: "sandbox",
      verdict: "warning",
      says: `the embedded service that runs has none (${what})`,
    }),
  );
});

test("a service in the foreground says it, too", async () => {
  const serving = ferry.start(["serve", "--sandbox", "process"]);
  let stderr = "";
  serving.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await expect.poll(() => stderr.split("\n"), { timeout: 20_000 }).toContain(line);
});

test("a service that runs with another sandbox than the next would have is told by doctor", async () => {
  const place = await makeServicePlace();
  try {
    await place.run({ sandbox: "a-cage" });
    const env = { FERRY_DATA_DIR: place.data, FERRY_SANDBOX: "oci", FERRY_SANDBOX_ENGINE: "/nowhere/podman" };
    const { stdout } = await ferry.run(["doctor", "--json"], { env });
    expect(rowsOf(stdout).find(({ name }) => name === "sandbox")).toMatchObject({
      verdict: "failed",
      says: expect.stringMatching(/^the embedded service that runs has a-cage; the next one: none works here: oci: /u) as string,
    });
  } finally {
    await place.leave();
  }
});

function makeCommitted() {
  mkdirSync(join(ferry.folder, "repo"), { recursive: true });
  const git = makeRepository(join(ferry.folder, "repo"));
  commitFiles(git, { a: "a" }, "first");
  return git;
}
