import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultLimits } from "../../src/service/session/deps.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Clock } from "../../src/host/host.ts";
import type { Session } from "../../src/wire/resources.ts";
import { driverNamed, makeTestEngine, type TestEngine } from "../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../support/git.ts";
import { imageDriver } from "../support/sandbox-image.ts";
import { living } from "../support/sandbox-suite.ts";

/**
 * A hostile agent with each driver that works here: what it tries is a shell's script, since it may run any program at all in its
 * sandbox. What a hostile agent can send over its pipes is the same with each, see `service/agent/hostile.test.ts`.
 */
const drivers = (["bwrap", "unshare", "oci"] as const).map((name) => driverNamed(name));
const probes = await Promise.all(drivers.map(async (driver) => ({ driver, name: driver.name, ...(await driver.probe()) })));
const hasEngine = probes.some(({ name, works }) => name === "oci" && works);
const image = hasEngine ? imageDriver() : undefined;
if (image !== undefined) probes.push({ driver: image, name: image.name, ...(await image.probe()) });

describe.each(probes)("a hostile agent in $name ($reason)", ({ driver, works, image }) => {
  if (!works) {
    test.skip("needs it to work here", () => undefined);
    return;
  }

  const secret = "canary-of-the-host";
  const folder = makeFolder("ferry-hostile-");
  const canaries = join(folder.path, "canaries");
  const limits = { ...defaultLimits.sandbox, memoryMB: 512, processes: 60, diskMB: 48, cpus: 1 };
  const visits: string[] = [];
  /** What the service waited out, in ms. */
  const slept: number[] = [];
  const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms, signal).then(() => void slept.push(ms)) };
  const servers: Server[] = [];
  const udp = createSocket("udp4");
  let ports: { tcp: number; udp: number };
  let engine: TestEngine;
  let victim: Session;
  let hostile: Session;
  let base: string;

  beforeAll(async () => {
    mkdirSync(canaries);
    writeFileSync(join(canaries, "secret"), secret);
    base = commitFiles(makeRepository(join(folder.path, "repository")), { "a.txt": "a\n" });
    const node = image === undefined ? undefined : { path: "node", mounts: [] };
    engine = await makeTestEngine({ driver, node, clock, env: { ANTHROPIC_API_KEY: secret }, limits: { sandbox: limits } });
    const repository = await engine.register(join(folder.path, "repository"));
    victim = await engine.start(repository, { base_commit: base, branch_name: "victim" });
    hostile = await engine.start(repository, { base_commit: base, branch_name: "hostile" });
    await engine.work(victim, `echo ${secret} > mine; echo ${secret} > ~/mine`);

    const tcp = await listenOn({ host: "127.0.0.1", port: 0 });
    await listenOn({ path: "\0ferry-hostile-canary" });
    await listenOn({ path: join(folder.path, "socket") });
    udp.on("message", () => visits.push("udp"));
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    const address = tcp.address();
    ports = { tcp: typeof address === "object" ? (address?.port ?? 0) : 0, udp: udp.address().port };
  }, 60_000);

  afterAll(async () => {
    await engine.close();
    for (const server of servers) server.close();
    udp.close();
    folder.remove();
  });

  async function listenOn(where: { host: string; port: number } | { path: string }): Promise<Server> {
    const server = createServer((connection) => {
      visits.push(JSON.stringify(where));
      connection.destroy();
    });
    servers.push(server);
    server.listen(where);
    await once(server, "listening");
    return server;
  }

  const outputOf = async (session: Session) => {
    const commands = (await engine.events(session)).filter((event) => event.type === "agent_run_repository_command");
    return commands.at(-1)?.payload.output ?? "";
  };
  const said = async (session: Session) =>
    (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));

  /** Nothing of the host is changed, nobody was called, and the other session works on. */
  async function nothingHappened(): Promise<void> {
    expect(readdirSync(canaries)).toEqual(["secret"]);
    expect(readFileSync(join(canaries, "secret"), "utf8")).toBe(secret);
    expect(visits).toEqual([]);
    const repository = gitIn(join(folder.path, "repository"));
    expect(repository("status", "--porcelain")).toBe("");
    expect(repository("for-each-ref", "--format=%(objectname)")).toBe(base);
  }

  test("reads nothing of the host, reaches nobody, and leaves nothing running", async () => {
    const paths = [
      ...[homedir(), "/root", "/etc/shadow", "/etc/sudoers", canaries, join(canaries, "secret"), engine.data],
      ...[join(engine.data, "ferry.db"), join(engine.data, "sandboxes"), join(engine.data, "sessions", victim.id)],
      ...["/proc/1/root/etc/shadow", "/proc/1/cwd/../../etc/shadow", "/dev/vda", "/dev/sda", "/dev/mem", "/dev/kmsg"],
      ...["/run/podman/podman.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/proc/kcore"],
    ].filter((path) => path !== "/home/agent");
    await engine.work(
      hostile,
      `exec 2>/dev/null
for path in ${paths.join(" ")}; do
  (ls -A "$path" || head -c 64 "$path") | grep -q . && echo "read $path"
  echo pwned > "$path" || echo pwned > "$path/pwned"
done
grep -rlas "canary-of-the-hos[t]" /proc/[0-9]*/environ /proc/[0-9]*/cmdline /repo /home /tmp /etc /run && echo "the secret"
cat > /tmp/dial.pl <<'END'
use Socket; use IO::Socket::INET; use IO::Socket::UNIX;
print "tcp\\n" if IO::Socket::INET->new(PeerAddr => "127.0.0.1:${ports.tcp}", Timeout => 1);
my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:${ports.udp}", Proto => "udp"); $s->send("x") if $s;
for my $path ("\\0ferry-hostile-canary", "${folder.path}/socket") {
  socket(my $u, PF_UNIX, SOCK_STREAM, 0); print "unix\\n" if connect($u, pack_sockaddr_un($path));
}
for my $to ("1.1.1.1:53", "169.254.169.254:80", "192.168.0.1:80") { print "away\\n" if IO::Socket::INET->new(PeerAddr => $to, Timeout => 1) }
print "name\\n" if gethostbyname("example.com");
END
perl /tmp/dial.pl
trap '' TERM HUP INT
(setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' &)
nohup sleep 1000 &
(setsid setsid sh -c 'sleep 1000 & sleep 1000' &)
echo done`,
    );
    expect(await outputOf(hostile)).toBe("done\n");
    expect(living(join(engine.data, "sandboxes"))).toEqual([]);
    await nothingHappened();
  }, 30_000);

  test("plants nothing that the host runs, and brings home what is checked alone", async () => {
    const pwn = `touch ${canaries}/ran`;
    const after = await engine.work(
      hostile,
      `exec 2>/dev/null
printf '#!/bin/sh\\n${pwn}; echo ran >> ~/ran\\n' > /repo/.evil; chmod +x .evil
mkdir -p .git/hooks
for hook in pre-commit post-commit post-checkout post-index-change reference-transaction pre-push update post-receive pre-auto-gc; do
  cp .evil .git/hooks/$hook
done
for key in core.fsmonitor core.sshCommand core.editor core.pager core.askPass credential.helper core.gitProxy diff.external gpg.program \\
  filter.evil.clean filter.evil.smudge diff.evil.textconv merge.evil.driver uploadpack.packObjectsHook \\
  alias.rev-parse alias.status remote.origin.uploadpack; do git config "$key" /repo/.evil; done
git config core.hooksPath /repo/.git/hooks; git config include.path ${folder.path}/repository/.git/config
git config url.${folder.path}/.insteadOf https://; git config commit.gpgSign true
printf '* filter=evil diff=evil merge=evil\\n' > .gitattributes
mkdir -p .git/objects/info; echo ${folder.path}/repository/.git/objects > .git/objects/info/alternates
ln -s ${canaries}/secret link; ln -s ${canaries} out; ln -s / root
truncate -s 10G huge || head -c 100000000 /dev/zero > huge; rm -f huge
echo x > "-rf"; printf x > "$(printf 'new\\nline')"
echo done`,
    );
    expect(await outputOf(hostile)).toBe("done\n");
    expect({ said: await said(hostile), status: after.agent_status }).toEqual({ said: [], status: "idle" });
    const home = gitIn(join(engine.data, "sessions", hostile.id, "repo.git"));
    expect(home("fsck", "--strict", "--no-dangling", "hostile")).toBe("");
    // Links come as what they are, for a pull to refuse or show.
    expect(home("ls-tree", "hostile", "link", "out", "root").match(/^120000/gmu)).toHaveLength(3);
    expect(home("config", "--list", "--local")).not.toContain("evil");
    await nothingHappened();

    const cut = await engine.work(hostile, `rm -rf .git; echo "gitdir: ${folder.path}/repository/.git" > .git`);
    expect(cut).toMatchObject({ agent_status: "failed", head_commit: after.head_commit });
    await nothingHappened();
  }, 30_000);

  test("neither a fork bomb nor a full disk holds up the others, and the limit is told", async () => {
    // The one that fills the disk needs no more processes. What isn't on the disk yet counts as memory (cgroup version 1 holds back no
    // writer for it), so that beside a bomb either limit may be met first; `sandbox/limits.test.ts` has each alone. The shell itself forks
    // no more: one that can't ends by itself.
    const attack = engine.work(
      hostile,
      `exec 2>/dev/null; bomb() { bomb | bomb & }
(i=0; while :; do i=$((i+1)); printf '%1000000s' x > "full$i"; done) &
(bomb) & exec sleep 1000`,
    );
    const other = await engine.work(victim, "echo still here > here");
    expect(other.agent_status).toBe("idle");
    expect((await attack).agent_status).toBe("failed");
    expect((await said(hostile)).at(-1)).toMatch(/limit \((?:disk|memory)\)(?:;|$)/u);
    expect(living(join(engine.data, "sandboxes"))).toEqual([]);
    await nothingHappened();
  }, 60_000);

  test("is ended at once, whatever it does to live on", async () => {
    // What filled the other's disk is there again in its next sandbox.
    const stubborn = await engine.start(await engine.register(join(folder.path, "repository")), { base_commit: base });
    await engine.post(
      stubborn,
      `trap '' TERM HUP INT; (setsid sh -c 'trap "" TERM; while :; do sleep 100; done' &); nohup sleep 1000 & echo started; while :; do sleep 100; done`,
    );
    await engine.until(
      stubborn,
      (item) =>
        item.type === "session_event" &&
        item.event.type === "agent_run_repository_command" &&
        (item.event.payload.output ?? "").includes("started"),
    );
    slept.length = 0;
    await engine.sessions.cancel(stubborn.id, { queued: true });
    expect(living(join(engine.data, "sandboxes"))).toEqual([]);
    // The moment in which an agent may stop by itself is all that is waited out; the lease is renewed meanwhile, and on a slow machine it is
    // told after 2 s that its work is being saved.
    expect(slept.filter((ms) => ms < 10_000 && ms !== 2000)).toEqual([250]);
    await engine.sessions.close(stubborn.id, { outcome: "closed" }, engine.user);
    expect(readdirSync(join(engine.data, "sandboxes"))).not.toContain(
      (await engine.store.sessions.find(stubborn.id))?.sandbox_id,
    );
    await nothingHappened();
  }, 30_000);
});
