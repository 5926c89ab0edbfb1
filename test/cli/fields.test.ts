import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configPath } from "../../src/cli/config/config.ts";
import { ferry } from "../support/ferry.ts";
import { makeRepository } from "../support/git.ts";
import { makeTestService, type TestService } from "../support/service.ts";
import { makeWorld, type World } from "../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, GITLAB_TOKEN: "glpat-abcdefghijkl1234" } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

test.each([
  ["login", "--with-token"],
  ["logout"],
  ["auth", "switch"],
  ["provider", "create", "--name", "work", "--token-env", "GITLAB_TOKEN"],
  ["provider", "edit", "work", "--name", "other"],
  ["provider", "delete", "work", "-y"],
  ["repo", "create", "--full-name", "acme/a"],
  ["repo", "edit", "acme/a", "--disable"],
  ["repo", "delete", "acme/a", "-y"],
  ["repo", "analyze", "acme/a"],
  ["session", "start", "--repo", "acme/a", "-m", "go on"],
  ["session", "edit", "4h2k", "--branch", "fix/y"],
  ["session", "cancel", "4h2k"],
  ["session", "close", "4h2k", "-y"],
  ["session", "link", "4h2k"],
  ["session", "unlink"],
  ["message", "send", "4h2k", "go on"],
  ["say", "go on"],
  ["run", "go on"],
  ["pull"],
  ["schedule", "create", "nightly", "go on", "--every", "day", "--at", "03:00"],
  ["schedule", "edit", "nightly", "--name", "other"],
  ["schedule", "delete", "nightly", "-y"],
  ["schedule", "run", "nightly"],
  ["key", "create", "ci", "--scopes", "all:all", "--show-secrets"],
  ["key", "revoke", "ci", "-y"],
  ["config", "set", "sandbox", "bwrap"],
  ["config", "unset", "sandbox"],
  ["hook", "install"],
  ["hook", "uninstall"],
  ["service", "start"],
  ["service", "stop"],
  ["service", "reset", "-y"],
])("a field that there isn't changes nothing: ferry %s %s", async (...argv) => {
  const sent: string[] = [];
  world.services.set(url, (request) => {
    sent.push(request.method);
    return service.send(request);
  });
  const { folder } = makeRepository(join(world.folder, "repo"));
  const there = world.next({ cwd: folder }, { stdin: service.key });
  const { code, stdout, stderr } = await ferry(there, ...argv, "--json", "--fields", "hosst");
  expect({ code, stdout, sent }).toEqual({ code: 2, stdout: "", sent: [] });
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", message: "there is no field hosst" } });
  expect(existsSync(configPath(world.host))).toBe(false);
});

test.each([
  ["id", "message", "send", "4h2k", "go on", "--wait"],
  ["outcome", "message", "send", "4h2k", "go on"],
  ["session_id", "session", "start", "--repo", "acme/a"],
  ["title", "session", "start", "--repo", "acme/a", "-m", "go on", "--follow"],
  ["success", "repo", "analyze", "acme/a", "--wait"],
  ["analysis_status", "repo", "analyze", "acme/a"],
  ["applied", "pull", "--undo"],
  ["branch_name", "run", "go on", "--detach"],
  ["ready", "service", "agents", "login", "claude", "--with-token"],
  ["ready", "service", "agents", "logout", "claude"],
  ["variable", "service", "agents"],
])("a field of another answer of the command changes nothing: %s of ferry %s %s", async (field, ...argv) => {
  const sent: string[] = [];
  world.services.set(url, (request) => {
    sent.push(request.method);
    return service.send(request);
  });
  const { folder } = makeRepository(join(world.folder, "repo"));
  const { code, stdout, stderr } = await ferry(world.next({ cwd: folder }), ...argv, "--fields", field);
  expect({ code, stdout, sent }).toEqual({ code: 2, stdout: "", sent: [] });
  expect(stderr).toContain(`there is no field ${field}`);
});
