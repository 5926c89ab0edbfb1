import { once } from "node:events";
import { spawn, type StdioOptions } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, open, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeDrivers } from "../../src/service/sandbox/registry.ts";
import type { ExecOptions, Sandbox, SandboxDriver, SandboxSpec } from "../../src/service/sandbox/driver.ts";
import { findMembers } from "../../src/service/sandbox/processes/members.ts";
import { runs } from "../../src/service/sandbox/processes/table.ts";
import { buildProgram } from "../support/sandbox-build.ts";
import { machine, roomy, specIn } from "../support/sandbox.ts";

const isRoot = process.getuid?.() === 0;

for (const driver of makeDrivers(machine)) {
  const probe = await driver.probe();
  const locksIn = driver.name !== "process";
  const title = probe.works ? driver.name : `${driver.name} (skipped here: ${probe.reason})`;

  describe.skipIf(!probe.works)(title, { timeout: 30_000 }, () => {
    const room = useSandboxes(driver);

    describe("what runs in it", () => {
      test("reads its input, writes both outputs, and its exit status is told", async () => {
        const sandbox = await room.make();
        const result = await sandbox.exec(["sh", "-c", "cat; echo oops >&2; exit 7"], { input: "in" });
        expect(result.code).toBe(7);
        expect(text(result.stdout)).toBe("in");
        expect(text(result.stderr)).toBe("oops\n");
      });

      test("is a program, not a word of the shell", async () => {
        const sandbox = await room.make();
        expect(text((await sandbox.exec(["printf", "%s|", "a b", "$HOME", "'"])).stdout)).toBe("a b|$HOME|'|");
        expect((await sandbox.exec(["exit", "3"])).code).not.toBe(3);
      });

      test("works in git with the files as its own, and keeps them from one process to the next", async () => {
        const sandbox = await room.make();
        await writeFile(join(sandbox.hostWorkspace, "given.txt"), "from the service\n");
        await run(sandbox, "git init -q . && git add . && git -c user.name=A -c user.email=a@example.org commit -qm one");
        expect(await run(sandbox, "git status --porcelain; git log --format=%s; echo more >> given.txt; touch ~/kept")).toBe(
          "one\n",
        );
        expect(await run(sandbox, 'pwd; cat given.txt; ls "$HOME"')).toBe(`${sandbox.workspace}\nfrom the service\nmore\nkept\n`);
      });

      test("can use temporary files, a shared memory folder and loopback", async () => {
        const sandbox = await room.make();
        expect(
          await run(sandbox, 'f=$(mktemp) && case $f in "$TMPDIR"/*) echo ok ;; esac; : > /dev/shm/x && rm /dev/shm/x'),
        ).toBe("ok\n");
        const server =
          'require("net").createServer(c=>c.end("hi")).listen(0,"127.0.0.1",function(){require("net").connect(this.address().port,"127.0.0.1").on("data",d=>{console.log(String(d));process.exit()})})';
        if (realpathSync(process.execPath).startsWith("/usr/")) expect(await run(sandbox, `node -e '${server}'`)).toBe("hi\n");
      });

      test("talks over pipes as long as it lives, and several do at once", async () => {
        const sandbox = await room.make();
        const one = await sandbox.spawn(["sh", "-c", 'while read -r line; do echo "one $line"; done; echo bye >&2; exit 4']);
        const other = await sandbox.spawn(["cat"]);
        one.stdin.write("hello\n");
        other.stdin.write("HELLO\n");
        expect(await firstLine(one.stdout)).toBe("one hello\n");
        expect(await firstLine(other.stdout)).toBe("HELLO\n");
        one.stdin.end();
        expect(await one.exit).toEqual({ code: 4, signal: null });
        expect(one.stderrTail()).toBe("bye\n");
        other.kill();
        expect((await other.exit).code).not.toBe(0);
      });

      test("is ended when it says or takes too much, or when nobody wants it any more", async () => {
        const sandbox = await room.make();
        await expect(sandbox.exec(["yes"], { limit: 1000 })).rejects.toThrow(/more than 1000 bytes/);
        await expect(sandbox.exec(["sleep", "100"], { timeout: 50 })).rejects.toThrow(/longer than/);
        const gone = new Error("gone");
        await expect(sandbox.exec(["sleep", "100"], { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
        expect(living(room.root)).toEqual([]);
      });

      test("sees a mount of the host's read-only, at its target", async () => {
        const source = join(room.data, "tool");
        await mkdir(source);
        await writeFile(join(source, "hello"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
        const sandbox = await room.make({ mounts: [{ source, target: "/opt/tool" }] });
        expect(text((await sandbox.exec(["/opt/tool/hello"])).stdout)).toBe("tool\n");
        if (locksIn) expect((await sandbox.exec(["touch", "/opt/tool/x"])).code).not.toBe(0);
      });
    });

    describe.runIf(locksIn)("guarantee 1: the host isn't there", () => {
      test("neither its homes, nor its secrets, nor other sandboxes, nor the service's data", async () => {
        const other = await room.make();
        await writeFile(join(other.hostWorkspace, "secret"), "x");
        await writeFile(join(room.data, "database"), "x");
        const sandbox = await room.make();
        const hidden = [
          homedir(),
          "/root",
          "/etc/shadow",
          other.hostWorkspace,
          room.data,
          room.root,
          "/var",
          "/run",
          "/sys",
          "/work",
          "/mnt",
          "/srv",
        ];
        const seen = await run(sandbox, hidden.map((path) => `[ ! -e ${path} ] || echo ${path}`).join("\n"));
        expect(seen.replace(/^\/home\/agent\n/m, "")).toBe("");
        expect((await run(sandbox, "ls /")).split("\n").filter((name) => name !== "" && !/^(lib.*|s?bin)$/.test(name))).toEqual([
          "dev",
          "etc",
          "home",
          "proc",
          "repo",
          "tmp",
          "usr",
        ]);
        expect(await run(sandbox, "ls /home; ls /etc | grep -vxE 'alternatives|ssl|ld.so.cache'")).toBe(
          "agent\ngroup\nhosts\nnsswitch.conf\npasswd\n",
        );
      });

      test("no other process, no capability, no way to more", async () => {
        const sandbox = await room.make();
        expect(
          await run(
            sandbox,
            "id -un; grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr -d '\\t'; [ $(ls /proc | grep -cE '^[0-9]+$') -lt 8 ] && echo alone",
          ),
        ).toBe(
          "agent\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nalone\n",
        );
        expect((await sandbox.exec(["unshare", "--user", "true"])).code).not.toBe(0);
        expect((await sandbox.exec(["mount", "-t", "tmpfs", "x", "/tmp"])).code).not.toBe(0);
      });

      test("all but workspace, home and temporary folders is read-only, the system's settings too", async () => {
        const sandbox = await room.make();
        const paths = ["/x", "/usr/x", "/usr/bin/x", "/etc/x", "/etc/ssl/x", "/dev/x", "/home/x", "/proc/sys/x"];
        expect(await run(sandbox, paths.map((path) => `(: > ${path}) 2>/dev/null && echo ${path}`).join("\n") + "\n:")).toBe("");
        const settings = [
          "kernel/core_pattern",
          "kernel/hostname",
          "user/max_user_namespaces",
          "net/ipv4/ip_forward",
          "vm/overcommit_memory",
        ];
        expect(
          await run(sandbox, settings.map((path) => `(: >> /proc/sys/${path}) 2>/dev/null && echo ${path}`).join("\n") + "\n:"),
        ).toBe("");
        expect(await run(sandbox, "(echo b > /proc/sysrq-trigger) 2>/dev/null && echo dangerous; :")).toBe("");
      });

      test("no terminal, a session of its own, no descriptor of the service's", async () => {
        const sandbox = await room.make();
        expect(
          await run(sandbox, "(: < /dev/tty) 2>/dev/null && echo tty; ls /dev/pts /dev/ptmx /dev/console 2>/dev/null; :"),
        ).toBe("");
        expect(await run(sandbox, "cut -d ' ' -f 7 /proc/self/stat")).toBe("0\n");
        const opened = await run(sandbox, 'for f in /proc/self/fd/*; do [ "${f##*/}" -lt 3 ] || readlink "$f" || :; done');
        expect(
          opened.split("\n").filter((target) => target !== "" && target !== "/dev/null" && !target.startsWith("/proc/")),
        ).toEqual([]);
      });

      test.runIf(isRoot)("what it writes belongs to nobody on the host", async () => {
        const sandbox = await room.make();
        await run(sandbox, "touch mine");
        const owner = text((await sandbox.exec(["stat", "-c", "%u", "/proc/1"])).stdout).trim();
        expect(owner).toBe("1000");
        expect((await stat(join(sandbox.hostWorkspace, "mine"))).uid).toBeGreaterThan(60_000);
      });
    });

    describe("guarantee 2: the environment is a list", () => {
      test("with what was given and nothing of the service's, and not to be read from outside", async () => {
        const secret = "s3cret'\"$(id)\n-value";
        const sandbox = await room.make({ env: { GIVEN: secret } });
        const result = await sandbox.exec(["env", "-0"], { env: { MORE: "1" } });
        const names = text(result.stdout)
          .split("\0")
          .map((line) => line.split("=")[0] ?? "");
        const allowed = ["", "PWD", "OLDPWD", "SHLVL", "_", ...(locksIn ? [] : ["FERRY_SANDBOX"])];
        expect(names.filter((name) => !allowed.includes(name)).sort()).toEqual([
          "GIVEN",
          "HOME",
          "LANG",
          "MORE",
          "PATH",
          "TMPDIR",
          "USER",
        ]);
        expect(text(result.stdout)).toContain(`GIVEN=${secret}\0`);
        const inside = await sandbox.spawn(["cat"]);
        inside.stdin.write("x\n");
        await firstLine(inside.stdout);
        const lines = findMembers({ roots: [], labelled: room.root }).map(({ pid }) => ofProcess(pid, "cmdline"));
        expect(lines.length).toBeGreaterThan(0);
        expect(lines.join("\n")).not.toContain("s3cret");
        inside.kill();
        await inside.exit;
      });

      test.runIf(locksIn)("which doesn't reach the programs that build the sandbox", async () => {
        const sandbox = await room.make({ env: { LD_PRELOAD: "/repo/evil.so", BASH_ENV: "/repo/evil", ENV: "/repo/evil" } });
        const result = await sandbox.exec(["env"]);
        expect(text(result.stdout)).toContain("LD_PRELOAD=/repo/evil.so\n");
        expect(
          text(result.stderr)
            .split("\n")
            .filter((line) => line.includes("evil")).length,
        ).toBeLessThanOrEqual(2);
        await expect(room.make({ env: { "A;id": "x" } }).then((made) => made.exec(["env"]))).rejects.toThrow(
          /no name of an environment variable/,
        );
      });
    });

    describe.runIf(locksIn)("guarantee 3: no network", () => {
      test("no interface but lo, no way to a port of the host's, a way to the one socket", async () => {
        const server = createServer((connection) => connection.end("from outside"));
        const folder = join(room.data, "gateway");
        await mkdir(folder, { mode: 0o700 });
        server.listen(join(folder, "model.sock"));
        await once(server, "listening");
        await chmod(join(folder, "model.sock"), 0o666);
        const tcp = createServer().listen(0, "127.0.0.1");
        await once(tcp, "listening");
        const address = tcp.address();
        const port = typeof address === "object" ? String(address?.port) : "";
        const sandbox = await room.make({ sockets: [{ source: folder, target: "/run/ferry" }] });
        expect(await run(sandbox, "tail -n +3 /proc/net/dev | cut -d : -f 1 | tr -d ' '")).toBe("lo\n");
        const dial = (where: string): string =>
          `perl -MIO::Socket::INET -MIO::Socket::UNIX -e 'my $s = ${where}; print $s ? (<$s> // "") : "none"'`;
        expect(await run(sandbox, dial(`IO::Socket::INET->new("127.0.0.1:${port}")`))).toBe("none");
        expect(await run(sandbox, dial('IO::Socket::UNIX->new("/run/ferry/model.sock")'))).toBe("from outside");
        server.close();
        tcp.close();
      });
    });

    describe("guarantee 4: limits", () => {
      const unenforced = probe.unenforced;

      test.skipIf(unenforced.includes("memory"))("memory", async () => {
        const sandbox = await room.make({ limits: { ...roomy, memoryMB: 64 } });
        const hungry = 'my @a; while (1) { push @a, "x" x 1_000_000; select undef, undef, undef, 0.002 }';
        expect((await sandbox.exec(["perl", "-e", hungry], { timeout: 20_000 })).code).not.toBe(0);
        expect(sandbox.exceeded()).toBe("memory");
      });

      test.skipIf(unenforced.includes("processes"))("processes", async () => {
        const sandbox = await room.make({ limits: { ...roomy, processes: 30 } });
        const fork =
          'my $n = 0; for (1 .. 60) { my $p = fork; last unless defined $p; unless ($p) { sleep 20; exit } $n++ } print "$n\\n"; kill 9, -$$';
        const { stdout } = await sandbox.exec(["perl", "-e", `$| = 1; ${fork}`], { timeout: 20_000 });
        expect(Number(text(stdout))).toBeLessThan(30);
      });

      test("wall time, after which no agent starts but its work can be brought home", async () => {
        const sandbox = await room.make({ limits: { ...roomy, wall: 700 } });
        const agent = await sandbox.spawn(["sh", "-c", "echo work > done.txt; setsid sleep 100 & sleep 100"]);
        expect((await agent.exit).code).not.toBe(0);
        expect(sandbox.exceeded()).toBe("wall");
        await expect(sandbox.spawn(["true"])).rejects.toThrow(/over its limit \(wall\)/);
        expect(await run(sandbox, "cat done.txt")).toBe("work\n");
      });

      test("disk, summed over files", async () => {
        const sandbox = await room.make({ limits: { ...roomy, diskMB: 8 } });
        const result = await sandbox.exec(
          ["sh", "-c", 'i=0; while :; do i=$((i+1)); head -c 200000 /dev/zero > "f$i"; sleep 0.02; done'],
          { timeout: 20_000 },
        );
        expect(result.code).not.toBe(0);
        expect(sandbox.exceeded()).toBe("disk");
      });

      test.runIf(locksIn)("a single file, at once", async () => {
        const sandbox = await room.make({ limits: { ...roomy, diskMB: 8 } });
        expect((await sandbox.exec(["sh", "-c", "head -c 20000000 /dev/zero > big"])).code).not.toBe(0);
        expect(Number(await run(sandbox, "stat -c %s big"))).toBeLessThanOrEqual(8 * 1024 * 1024);
      });
    });

    describe("guarantee 5: the end", () => {
      test("of a command ends what it left running", async () => {
        const sandbox = await room.make();
        await sandbox.exec(["sh", "-c", "setsid sleep 1000 > /dev/null 2>&1 & sleep 0.1"]);
        expect(living(room.root)).toEqual([]);
      });

      test("of all processes, those that went away too, keeps the files", async () => {
        const sandbox = await room.make();
        const agent = await sandbox.spawn([
          "sh",
          "-c",
          'trap "" TERM HUP INT; echo x > kept; (setsid setsid sleep 1000 &) ; echo ready; sleep 1000',
        ]);
        await firstLine(agent.stdout);
        await sandbox.killAll();
        expect(living(room.root)).toEqual([]);
        expect((await agent.exit).code).not.toBe(0);
        expect(await run(sandbox, "cat kept")).toBe("x\n");
      });

      test("of the sandbox removes its folder and nothing that a link in it leads to", async () => {
        const precious = join(room.data, "precious");
        await mkdir(precious);
        await writeFile(join(precious, "file"), "x");
        const sandbox = await room.make();
        await symlink(precious, join(sandbox.hostWorkspace, "given"));
        const agent = await sandbox.spawn([
          "sh",
          "-c",
          `ln -s ${precious} link; ln -s ${precious}/file "$HOME/file"; mkdir -p a/b; ln -s / a/b/root; chmod 0 a; echo ready; sleep 1000`,
        ]);
        await firstLine(agent.stdout);
        await Promise.all([sandbox.destroy(), sandbox.destroy()]);
        expect(living(room.root)).toEqual([]);
        expect(existsSync(dirname(sandbox.hostWorkspace))).toBe(false);
        expect(await readdir(join(room.data, "trash"))).toEqual([]);
        expect(await readFile(join(precious, "file"), "utf8")).toBe("x");
        await expect(sandbox.exec(["true"])).rejects.toThrow(/gone/);
      });
    });

    describe("guarantee 6: the sweep", () => {
      test("after kill -9 of the service: processes, folder and trash go, what is to be kept stays", async () => {
        const kept = await room.make();
        await mkdir(join(room.data, "trash", "sbx_old", "folder"), { recursive: true });
        const service = spawn(room.program[0] ?? "", [
          ...room.program.slice(1),
          driver.name,
          room.root,
          "setsid sleep 1000 & echo ready; sleep 1000",
        ]);
        await firstLine(service.stdout);
        expect(living(room.root).length).toBeGreaterThan(1);
        service.kill("SIGKILL");
        await once(service, "close");
        const swept = await driver.sweep(room.root, new Set([kept.id]));
        expect(swept.filter(({ what }) => what === "folder")).toHaveLength(1);
        expect(living(room.root)).toEqual([]);
        expect(await readdir(room.root)).toEqual([kept.id]);
        expect(await readdir(join(room.data, "trash"))).toEqual([]);
      });

      test.runIf(locksIn)("has nothing to end there: the kernel did", async () => {
        const service = spawn(room.program[0] ?? "", [
          ...room.program.slice(1),
          driver.name,
          room.root,
          "setsid sleep 1000 & echo ready; sleep 1000",
        ]);
        await firstLine(service.stdout);
        const members = findMembers({ roots: [], labelled: room.root });
        service.kill("SIGKILL");
        await once(service, "close");
        await expect.poll(() => members.filter(runs)).toEqual([]);
        expect((await driver.sweep(room.root, new Set())).map(({ what }) => what)).toEqual(["folder"]);
      });
    });

    describe.runIf(isRoot)("an ordinary user's service", () => {
      const asNobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

      /** What a script says in a sandbox of a service that is run by nobody. */
      async function say(script: string, changes: Partial<SandboxSpec> = {}): Promise<string> {
        const data = await mkdtemp(join(tmpdir(), "ferry-sandbox-nobody-"));
        await chown(data, 65534, 65534);
        const argv = [...asNobody, ...room.program, driver.name, join(data, "sandboxes"), script, JSON.stringify(changes)];
        const output = await outputOf({ argv });
        expect(await readdir(join(data, "sandboxes"))).toEqual([]);
        await rm(data, { recursive: true });
        return output;
      }

      test("has the same sandbox", async () => {
        const script =
          'id -un; touch x ~/y && git init -q . && git status -s; [ -e /root ] || echo "no root"; grep -c " /repo " /proc/self/mountinfo || :';
        expect(await say(script)).toBe(locksIn ? "agent\n?? x\nno root\n1\n" : "nobody\n?? x\n0\n");
      });

      test("keeps memory by measuring", async () => {
        const hungry = `perl -e 'my @a; while (1) { push @a, "x" x 1_000_000; select undef, undef, undef, 0.005 }'`;
        expect(await say(hungry, { limits: { ...roomy, memoryMB: 100 } })).toBe("over: memory\n");
      });

      test("keeps the number of processes", async () => {
        const fork = `perl -e '$| = 1; for (1 .. 60) { my $p = fork; if (!defined $p) { print "refused\n"; last } unless ($p) { sleep 20; exit } } select undef, undef, undef, 1.5'`;
        expect(await say(fork, { limits: { ...roomy, processes: 30 } })).toBe(locksIn ? "refused\n" : "over: processes\n");
      });
    });

    test.runIf(isRoot && locksIn)("a mount below a mount is read-only too", async () => {
      const source = join(room.data, "nested");
      await mkdir(join(source, "be low"), { recursive: true });
      const changes = JSON.stringify({ mounts: [{ source, target: "/opt/nested" }] });
      const script = '(: > "/opt/nested/be low/x") 2>/dev/null && echo writable; ls "/opt/nested/be low"';
      const service = [...room.program, driver.name, join(room.data, "nested-sandboxes"), script, changes];
      const mounting = 'mount -t tmpfs -o noexec ferry "$1/be low" && touch "$1/be low/there" && shift && exec "$@"';
      expect(await outputOf({ argv: ["unshare", "--mount", "sh", "-c", mounting, "sh", source, ...service] })).toBe("there\n");
    });

    test.runIf(locksIn)("what the service's parent left open isn't seen inside", async () => {
      const path = join(room.data, "open");
      await writeFile(path, "secret");
      const file = await open(path);
      const script = "for f in /proc/self/fd/*; do readlink $f || :; done";
      const stdio: StdioOptions = ["ignore", "pipe", "pipe", ...Array<"ignore">(37).fill("ignore"), file.fd];
      const ran = { argv: [...room.program, driver.name, join(room.data, "open-sandboxes"), script], stdio };
      const output = await outputOf(ran);
      await file.close();
      expect(output).toContain("socket:");
      expect(output).not.toContain(path);
    });

    test.runIf(locksIn && existsSync("/usr/bin/script"))("the terminal of the service isn't to be had", async () => {
      const reach = '(: < /dev/tty) 2>/dev/null && echo "a terminal"; echo "session $(cut -d " " -f 7 /proc/self/stat)"';
      const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      const onTerminal = (words: readonly string[]): Ran => ({ argv: ["script", "-qec", quoted(words), "/dev/null"] });
      expect(await outputOf(onTerminal(["sh", "-c", reach]))).toContain("a terminal");
      const service = [...room.program, driver.name, join(room.data, "terminal-sandboxes"), reach];
      expect(await outputOf(onTerminal(service))).toBe("session 0\r\n");
    });
  });
}

/** Sandboxes of a driver in a data folder of their own; each is destroyed after its test. */
function useSandboxes(driver: SandboxDriver) {
  const made: Sandbox[] = [];
  const state = {
    data: "",
    root: "",
    program: [] as string[],
    async make(changes: Partial<SandboxSpec> = {}): Promise<Sandbox> {
      const sandbox = await driver.create(specIn(state.root, changes));
      made.push(sandbox);
      return sandbox;
    },
  };
  beforeAll(async () => {
    state.data = await mkdtemp(join(tmpdir(), "ferry-sandbox-contract-"));
    state.root = join(state.data, "sandboxes");
    const programs = await mkdtemp(join(tmpdir(), "ferry-sandbox-program-"));
    await chmod(programs, 0o755);
    state.program = await buildProgram(programs);
  });
  afterEach(async () => {
    for (const sandbox of made.splice(0)) await sandbox.destroy();
  });
  afterAll(async () => {
    await rm(state.data, { recursive: true, force: true });
    await rm(dirname(state.program[1] ?? ""), { recursive: true, force: true });
  });
  return state;
}

/** Runs a script that must work; gives its output. */
async function run(sandbox: Sandbox, script: string, options: ExecOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await sandbox.exec(["sh", "-c", script], options);
  expect({ code, stderr: code === 0 ? "" : text(stderr) }).toEqual({ code: 0, stderr: "" });
  return text(stdout);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = (await once(stream, "data")) as [Buffer];
  return chunk.toString("utf8");
}

/** The processes of all sandboxes under a root, as `number name`. */
function living(root: string): string[] {
  return findMembers({ roots: [], labelled: root }).map(({ pid }) => `${pid} ${ofProcess(pid, "comm").trim()}`);
}

function ofProcess(pid: number, file: string): string {
  return existsSync(`/proc/${pid}/${file}`) ? readFileSync(`/proc/${pid}/${file}`, "utf8") : "";
}

interface Ran {
  readonly argv: readonly string[];
  readonly stdio?: StdioOptions;
}

/** Runs a program to its end; gives what it said on both outputs. */
async function outputOf({ argv: [program = "", ...rest], stdio }: Ran): Promise<string> {
  const child = spawn(program, rest, { env: { PATH: process.env["PATH"] }, stdio: stdio ?? "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  return output;
}
