import { dirname } from "node:path";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { commitFiles } from "../../support/git.ts";
import { type GitServer, serveGit } from "../../support/git-http.ts";
import { pullInto, type PullInto } from "../../support/pulling.ts";
import { sandboxSource } from "../../support/series.ts";
import { stateOf } from "../../support/state.ts";
import { branchOffers, makeUpstream, pullBranch, push, removeUpstreams, type Upstream } from "../../support/upstream.ts";

let server: GitServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(removeUpstreams);

async function refused(place: Upstream, options: PullInto = {}): Promise<FerryError> {
  const before = stateOf(place.local.folder);
  const error = await pullBranch(place, options).then(
    (verdict) => expect.fail(`was applied: ${JSON.stringify(verdict)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof FerryError)) throw error;
  expect(stateOf(place.local.folder)).toEqual(before);
  return error;
}

function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

describe("over http with a password", () => {
  async function makeGuarded(): Promise<Upstream & { asked: string }> {
    const place = makeUpstream();
    const root = dirname(place.up.folder);
    server = await serveGit(root, "ada", "s3cret-word");
    place.local("config", "remote.origin.url", `${server.url}/up.git`);
    const asked = `${root}/asked`;
    return { ...place, asked };
  }

  it("the user's credential helper is asked", async () => {
    const place = await makeGuarded();
    const tip = push(place, { a: "A\n" });
    place.local("config", "credential.helper", '!f() { test "$1" = get && echo username=ada && echo password=s3cret-word; }; f');
    expect(await pullBranch(place)).toMatchObject({ tip, exactness: "exact" });
    expect(server?.given.some((each) => each.startsWith("Basic "))).toBe(true);
  });

  it("without one nobody is asked: no terminal, no window, no ssh-askpass; refused, and how to see to it", async () => {
    const place = await makeGuarded();
    push(place, { a: "A\n" });
    const askpass = script(`${place.asked}.sh`, `touch ${place.asked}; echo x`);
    place.local("config", "core.askPass", askpass);
    const error = await refused(place, { env: { SSH_ASKPASS: askpass, DISPLAY: ":1" } });
    expect(error).toMatchObject({ kind: "auth", hint: expect.stringContaining("git fetch origin") as string });
    expect(existsSync(place.asked)).toBe(false);
  });

  it("a wrong password, also in the address: refused, and it is nowhere in what is said", async () => {
    const place = await makeGuarded();
    push(place, { a: "A\n" });
    place.local("config", "remote.origin.url", `${server?.url.replace("//", "//ada:wr0ng-word@") ?? ""}/up.git`);
    const error = await refused(place);
    expect(error.kind).toBe("auth");
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain("wr0ng-word");
  });

  it("GIT_ASKPASS is the user's own word", async () => {
    const place = await makeGuarded();
    const tip = push(place, { a: "A\n" });
    const askpass = script(`${place.asked}.sh`, 'case "$1" in Username*) echo ada;; *) echo s3cret-word;; esac');
    expect(await pullBranch(place, { env: { GIT_ASKPASS: askpass } })).toMatchObject({ tip });
  });
});

describe("over ssh", () => {
  /** Stands in for ssh: notes what it was called with, and runs the command here. */
  function makeSsh(place: Upstream, end = 'eval "$last"'): { path: string; log: string } {
    const root = dirname(place.up.folder);
    const log = `${root}/ssh.log`;
    const path = script(
      `${root}/ssh`,
      `echo "$@" >> ${log}\ntest -t 0 && echo terminal >> ${log}\n(: < /dev/tty) 2>/dev/null && echo tty >> ${log}\nfor last; do :; done\n${end}`,
    );
    place.local("config", "remote.origin.url", `ssh://git@host.example${place.up.folder}`);
    return { path, log };
  }

  it.each([
    ["GIT_SSH_COMMAND", (path: string): PullInto => ({ env: { GIT_SSH_COMMAND: `${path} -i key` } })],
    ["GIT_SSH", (path: string): PullInto => ({ env: { GIT_SSH: path } })],
    ["core.sshCommand", (): PullInto => ({})],
  ])("by %s, in batch mode, without a terminal", async (name, options) => {
    const place = makeUpstream();
    const tip = push(place, { a: "A\n" });
    const { path, log } = makeSsh(place);
    if (name === "core.sshCommand") place.local("config", "core.sshCommand", `${path} -i key`);
    expect(await pullBranch(place, options(path))).toMatchObject({ tip });
    const lines = readFileSync(log, "utf8");
    expect(lines).toContain("-o BatchMode=yes");
    expect(lines).toContain("git-upload-pack");
    expect(lines).not.toMatch(/^(terminal|tty)$/mu);
    if (name !== "GIT_SSH") expect(lines).toContain("-i key");
  });

  it("a key that is refused, a host that isn't there", async () => {
    const place = makeUpstream();
    const denied = makeSsh(place, 'echo "git@host.example: Permission denied (publickey)." >&2; exit 255');
    expect(await refused(place, { env: { GIT_SSH_COMMAND: denied.path } })).toMatchObject({ kind: "auth" });
    const lost = makeSsh(place, 'echo "ssh: Could not resolve hostname host.example: Name or service not known" >&2; exit 255');
    const error = await refused(place, { env: { GIT_SSH_COMMAND: lost.path } });
    expect(error).toMatchObject({ kind: "unavailable" });
    expect(error.message).toContain("Could not resolve hostname");
  });

  it("one that hangs ends with ferry's own interrupt, ssh too", async () => {
    const place = makeUpstream();
    const { path, log } = makeSsh(place, `echo $$ > ${dirname(place.up.folder)}/pid; exec sleep 1000`);
    const stop = new AbortController();
    const { makeDeps } = await import("../../support/pulling.ts");
    const deps = makeDeps({ GIT_SSH_COMMAND: path });
    const pulled = pullBranch(place, { deps: { ...deps, host: { ...deps.host, interrupt: stop.signal } } });
    const outcome = pulled.catch((error: unknown) => error);
    const pidFile = `${dirname(place.up.folder)}/pid`;
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "", { timeout: 10_000 }).toBe(true);
    stop.abort(new Error("stop"));
    expect(await outcome).toMatchObject({ message: "stop" });
    const pid = Number(readFileSync(pidFile, "utf8"));
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 5000 }).toBe(false);
    expect(readFileSync(log, "utf8")).toContain("BatchMode");
  });
});

describe("a base that isn't here", () => {
  /** The sandbox began at a commit of others' that this clone hasn't fetched. */
  function makeStale(behind: number): Upstream & { start: string } {
    const place = makeUpstream();
    for (let at = 0; at < behind; at++) commitFiles(place.sandbox, { [`others${at % 7}`]: `${at}\n` }, `of others ${at}`);
    const start = place.sandbox("rev-parse", "HEAD");
    place.sandbox("push", "--quiet", "origin", "work:main");
    return { ...place, start };
  }
  const patchesOf = ({ sandbox, start }: { sandbox: Upstream["sandbox"]; start: string }) =>
    sandboxSource({ folder: sandbox.folder, branch: "HEAD", base: start });

  it("150 commits ahead: is fetched, and the session's commits alone come onto HEAD", async () => {
    const place = makeStale(150);
    commitFiles(place.sandbox, { a: "1\nzwei\n3\n" }, "its own");
    const refs = place.local("for-each-ref", "refs/remotes", "refs/heads");
    const offers = { remotes: async () => ["origin"] };
    const verdict = await pullInto(place.local.folder, patchesOf(place), { offers });
    expect(verdict).toMatchObject({ applied: true, exactness: "rebuilt", commits: [{ subject: "its own" }] });
    expect(place.local("show", "HEAD:a")).toBe("1\nzwei\n3");
    expect(existsSync(`${place.local.folder}/others0`)).toBe(false);
    expect(place.local("for-each-ref", "refs/remotes")).toBe(
      refs
        .split("\n")
        .filter((line) => line.includes("refs/remotes"))
        .join("\n"),
    );
    expect(place.local("fsck", "--strict", "--no-dangling")).toBe("");
    expect(await pullInto(place.local.folder, patchesOf(place), { offers })).toMatchObject({ applied: false });
    // On a branch of its own it is the sandbox's, to the id.
    const branch = await pullInto(place.local.folder, patchesOf(place), { offers, branch: "review" });
    expect(branch).toMatchObject({ exactness: "exact", tip: place.sandbox("rev-parse", "HEAD") });
  });

  it("from a server that gives no commit by its id: by its branch", async () => {
    const place = makeStale(2);
    place.up("config", "uploadpack.allowAnySHA1InWant", "false");
    place.local("config", "protocol.version", "0");
    push(place, { n: "n\n" });
    commitFiles(place.sandbox, { m: "m\n" });
    const source = sandboxSource({ folder: place.sandbox.folder, branch: "HEAD", base: place.sandbox("rev-parse", "HEAD~1") });
    const verdict = await pullInto(place.local.folder, source, { offers: { ...branchOffers(undefined) } });
    expect(verdict).toMatchObject({ applied: true, exactness: "rebuilt", files: 1 });
  });

  it("in a shallow clone whose boundary it lies behind", async () => {
    const place = makeUpstream({ clone: ["--depth=1"], history: 5 });
    place.sandbox("reset", "--quiet", "--hard", "HEAD~2");
    const start = place.sandbox("rev-parse", "HEAD");
    commitFiles(place.sandbox, { n: "n\n" });
    const verdict = await pullInto(place.local.folder, patchesOf({ ...place, start }), {
      offers: { remotes: async () => ["origin"] },
    });
    expect(verdict).toMatchObject({ applied: true, exactness: "rebuilt", files: 1 });
    expect(place.local("fsck", "--strict", "--no-dangling")).toBe("");
    expect(place.local("rev-parse", "--is-shallow-repository")).toBe("true");
  });

  it("nor on any remote (a recycled sandbox whose base was never pushed): refused, with what was tried and what to do", async () => {
    const place = makeStale(0);
    commitFiles(place.sandbox, { never: "pushed\n" });
    const start = place.sandbox("rev-parse", "HEAD");
    commitFiles(place.sandbox, { a: "A\n" });
    const before = stateOf(place.local.folder);
    const offers = { remotes: async () => ["origin"] };
    const error = await pullInto(place.local.folder, patchesOf({ ...place, start }), { offers }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ kind: "attention", code: "unrelated", details: [expect.stringContaining("origin") as string] });
    expect(stateOf(place.local.folder)).toEqual(before);
    place.local("config", "remote.origin.url", "http://127.0.0.1:1/x");
    const offline = await pullInto(place.local.folder, patchesOf({ ...place, start }), { offers }).catch(
      (cause: unknown) => cause,
    );
    expect(offline).toMatchObject({ kind: "attention", details: [expect.stringContaining("can't be reached") as string] });
  });
});
