import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeProject, type WorkingCopy } from "../acceptance/workingCopy.ts";
import { type Binary, makeBinary, type Result } from "../support/binary.ts";
import { installedPrograms, realKey } from "../support/real-agents.ts";
import { makeScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";

let binary: Binary;
let project: WorkingCopy;
let model: ScriptedModel;

beforeEach(async () => {
  binary = makeBinary();
  project = await makeProject(binary, "project");
  model = await makeScriptedModel();
});

afterEach(async () => {
  await binary.dispose();
  await model.close();
});

/** `ferry` as a user calls it in the project, on whose PATH there is this agent and no other. */
function ferry(program: string, ...args: readonly string[]): Promise<Result> {
  const programs = join(binary.folder, "programs");
  mkdirSync(programs, { recursive: true });
  const path = installedPrograms()[program];
  if (path === undefined) throw new Error(`${program} isn't installed`);
  if (!existsSync(join(programs, program))) symlinkSync(path, join(programs, program));
  const env = {
    FERRY_HOST: "local",
    PATH: `${programs}:${binary.env["PATH"] ?? ""}`,
    ...{ OPENAI_BASE_URL: `${model.address}/v1`, OPENAI_API_KEY: realKey },
    ...{ ANTHROPIC_BASE_URL: model.address, ANTHROPIC_API_KEY: realKey },
  };
  return binary.run(args, { cwd: project.path, env });
}

/** What the run left in the user's repository. */
async function expectCommit(base: string, agent: string): Promise<void> {
  expect(await project.git("rev-list", "--count", `${base}..HEAD`)).toBe("1");
  expect(await project.git("show", "--no-patch", "--format=%an <%ae>", "HEAD")).toBe(`${agent} <${agent}@ferry.local>`);
  expect(await project.git("diff", "--name-status", base, "HEAD")).toBe("A\tNOTE.md\nM\tREADME.md");
  expect(await project.git("show", "HEAD:README.md")).toBe("# Ferry's project");
  expect(await project.git("status", "--porcelain")).toBe("");
}

test("`ferry run` with Claude Code, which it finds by itself: its commit comes home", async () => {
  model.play(
    { text: "Let me look. ", tools: [{ name: "Read", args: { file_path: "/repo/README.md" } }] },
    {
      tools: [{ name: "Edit", args: { file_path: "/repo/README.md", old_string: "# Project", new_string: "# Ferry's project" } }],
    },
    { tools: [{ name: "Write", args: { file_path: "/repo/NOTE.md", content: "noted\n" } }] },
    { tools: [{ name: "Bash", args: { command: "env; ls /root /home", description: "look around" } }] },
    { text: "Renamed it." },
  );
  const base = await project.git("rev-parse", "HEAD");
  const { code, stdout, stderr } = await ferry("claude-agent-acp", "run", "rename the project");
  expect({ code, stderr: stderr.split("\n").filter((line) => line.startsWith("agent:")) }).toEqual({
    code: 0,
    stderr: ["agent: claude"],
  });
  for (const shown of ["README.md", "NOTE.md", "Renamed it.", "1 commit"]) expect(stdout + stderr).toContain(shown);
  await expectCommit(base, "claude");
  expect(model.calls.map(({ headers }) => headers["x-api-key"])).toContain(realKey);
  expect(stdout + stderr).not.toContain(realKey);

  const view = await ferry("claude-agent-acp", "session", "view");
  expect(view.stdout).toMatch(/^usage: +5 model calls, [\d,]+ tokens in, \d+ out, (less than )?\$\d/mu);
});

test("`ferry run --model` with opencode: its commit comes home, and the timeline is JSON where that is asked for", async () => {
  model.play(
    { text: "Let me look. ", tools: [{ name: "read", args: { filePath: "/repo/README.md" } }] },
    {
      tools: [{ name: "edit", args: { filePath: "/repo/README.md", oldString: "# Project", newString: "# Ferry's project" } }],
    },
    { tools: [{ name: "bash", args: { command: "echo noted > NOTE.md", description: "note" } }] },
    { text: "Renamed it." },
  );
  const base = await project.git("rev-parse", "HEAD");
  const { code, stdout } = await ferry("opencode", "run", "--json", "--model", "opencode:openai/stub", "rename the project");
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toEqual(expect.arrayContaining(["session", "agent_file_read", "agent_file_edit", "agent_file_create"]));
  await expectCommit(base, "opencode");
});
