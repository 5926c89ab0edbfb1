// `npm run quickstart`: the main job on this machine, told as a story. It leaves nothing behind.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { checkout, openStage, say, wrapped } from "./stage.mjs";

const script = `mkdir -p tools
printf "#!/bin/sh\\necho Hello from the sandbox.\\n" > tools/hello
chmod +x tools/hello
tools/hello | tee greeting.txt`;

const stage = openStage();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => leave(signal === "SIGINT" ? 130 : 143));
// A pager that was quit.
process.stdout.on("error", () => leave(1));

try {
  await tell();
  leave(0);
} catch (error) {
  console.error(`\nquickstart: ${error.message}`);
  await stage.attempt(["ferry", "service", "logs"]);
  leave(1);
}

async function tell() {
  console.log(wrapped(`All of this happens in ${stage.folder}, which is removed at the end.`));

  say("A working copy of a real repository.");
  const repository = await makeWorkingCopy();
  const before = stage.ask(["git", "rev-parse", "HEAD"], { cwd: repository });

  say("The service that ships with ferry, in the background: its API is a socket, its data is in this folder.");
  await startService();

  say(
    "The main job: an agent works in a sandbox of its own, and its commits come home. The agent here is `shell`, which needs no model and no account: the prompt is a script. Others work the same way.",
  );
  await stage.show(["ferry", "run", "--host", "local", "--model", "shell", script], { cwd: repository });

  say("What arrived: a commit with the very id that it has in the sandbox, and a clean tree.");
  await stage.show(["git", "log", "--format=fuller", `${before}..HEAD`], { cwd: repository });
  await stage.show(["git", "show", "--stat", "--format=%h %s"], { cwd: repository });
  await stage.show(["git", "status"], { cwd: repository });
  checkArrival(repository, before);

  say("Pulling again brings nothing twice.");
  const after = stage.ask(["git", "rev-parse", "HEAD"], { cwd: repository });
  await stage.show(["ferry", "pull"], { cwd: repository });
  expect(stage.ask(["git", "rev-parse", "HEAD"], { cwd: repository }) === after, "the second pull moved HEAD");

  say("And away again.");
  await stage.show(["ferry", "service", "stop"]);
  const leftovers = stage.leftovers();
  expect(leftovers.length === 0, `still running:\n${leftovers.join("\n")}`);
  console.log("\nDone: nothing is left running.");
}

/** A clone of this checkout; where it is none that git can read (a tarball), a small repository. */
async function makeWorkingCopy() {
  const repository = join(stage.folder, "project");
  if (existsSync(join(checkout, ".git"))) {
    // With the user's own environment: its safe.directory may be what lets git read the checkout.
    console.log(`$ git clone ${checkout} project`);
    const { status } = spawnSync("git", ["clone", "--quiet", checkout, repository], { stdio: ["ignore", "inherit", "inherit"] });
    if (status === 0) return repository;
    say("That didn't work, so a small one instead.");
  }
  mkdirSync(repository);
  writeFileSync(join(repository, "README.md"), "# A project\n");
  const inRepository = { cwd: repository };
  await stage.show(["git", "init", "--quiet"], inRepository);
  await stage.show(["git", "add", "README.md"], inRepository);
  const identity = ["-c", "user.name=Quick Start", "-c", "user.email=quickstart@example.com"];
  await stage.show(["git", ...identity, "commit", "--quiet", "--message", "A first commit"], inRepository);
  return repository;
}

async function startService() {
  if ((await stage.attempt(["ferry", "service", "start"])) === 0) return;
  say(
    "No sandbox can be made on this machine; the reason is above. The script of this quickstart is harmless, so here it runs without one. Never do that with a model.",
  );
  await stage.show(["ferry", "service", "start", "--sandbox", "process"]);
}

function checkArrival(repository, before) {
  expect(
    stage.ask(["git", "rev-list", "--count", `${before}..HEAD`], { cwd: repository }) === "1",
    "there is not one new commit",
  );
  expect(stage.ask(["git", "status", "--porcelain"], { cwd: repository }) === "", "the working copy is not clean");
  expect(existsSync(join(repository, "tools/hello")), "tools/hello is not there");
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

function leave(code) {
  stage.close();
  process.exit(code);
}
