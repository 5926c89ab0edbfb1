// Where the quickstart plays: a temporary folder with a home of its own, so that nothing of the user's is read or changed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../..", import.meta.url));

const bold = process.stdout.isTTY && !process.env.NO_COLOR ? (text) => `\u001b[1m${text}\u001b[0m` : (text) => text;

/** Prints what comes next, in a sentence or two. */
export function say(text) {
  console.log(`\n${wrapped(text, "# ")}`);
}

/** The text behind that sign, on a terminal broken between words into lines that fit. */
export function wrapped(text, sign = "") {
  const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? undefined : `${lines.at(-1)} ${word}`;
    if (longer !== undefined && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(sign + word);
  }
  return lines.join("\n");
}

/** Makes the folder and gives what the story needs: where it is, how to run something in it, and how to leave. */
export function openStage() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ferry-quickstart-")));
  const env = makeEnvironment(folder);
  let running;

  return {
    folder,
    /** Shows a command and, live, what it prints. Throws where it exits with anything but 0. */
    async show(command, { cwd = folder } = {}) {
      const code = await this.attempt(command, { cwd });
      if (code !== 0) throw new Error(`\`${quote(command)}\` exited with ${code}`);
    },
    /** The same, but gives the exit code. */
    async attempt(command, { cwd = folder } = {}) {
      console.log(bold(`$ ${quote(command)}`));
      const [program, ...rest] = resolve(command);
      running = spawn(program, rest, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
      return new Promise((resolveExit, reject) => {
        running.on("error", reject);
        running.on("exit", (code, signal) => resolveExit(code ?? signal));
      });
    },
    /** Runs something without showing it and gives its output, trimmed. */
    ask(command, { cwd = folder } = {}) {
      const [program, ...rest] = resolve(command);
      const { status, stdout, stderr, error } = spawnSync(program, rest, { cwd, env, encoding: "utf8" });
      if (error) throw error;
      if (status !== 0) throw new Error(`\`${quote(command)}\` exited with ${status}: ${stderr.trim()}`);
      return stdout.trim();
    },
    /** Our processes that still run, as `pid command`. */
    leftovers: () => findProcesses(folder),
    /** Ends what is left of ours and removes the folder. */
    close() {
      running?.kill();
      spawnSync(process.execPath, [ferry, "service", "stop"], { cwd: folder, env, stdio: "ignore" });
      for (const line of findProcesses(folder)) killQuietly(Number.parseInt(line, 10));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

const ferry = join(checkout, "bin/ferry.js");

function resolve([program, ...rest]) {
  return program === "ferry" ? [process.execPath, ferry, ...rest] : [program, ...rest];
}

function quote(command) {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** The user's environment without what would lead ferry or git to the user's own files. */
function makeEnvironment(folder) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(FERRY|GIT|XDG)_/.test(name)));
  const places = {
    HOME: "home",
    XDG_RUNTIME_DIR: "run",
    FERRY_CONFIG_DIR: "config",
    FERRY_STATE_DIR: "state",
    FERRY_DATA_DIR: "data",
  };
  for (const [name, place] of Object.entries(places)) {
    env[name] = join(folder, place);
    mkdirSync(env[name], { mode: 0o700 });
  }
  return { ...env, FERRY_CREDENTIAL_STORE: "file", GIT_CONFIG_NOSYSTEM: "1", GIT_PAGER: "cat" };
}

/** A process of ours has the folder in its environment, its command line or as its working directory. */
function findProcesses(folder) {
  if (!existsSync("/proc/self/environ")) return findByCommandLine(folder);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => [readProc(pid, "environ"), readProc(pid, "cmdline"), readCwd(pid)].some((text) => text.includes(folder)))
    .map((pid) => `${pid} ${readProc(pid, "cmdline").replaceAll("\0", " ").trim()}`);
}

function findByCommandLine(folder) {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.includes(folder));
}

function readProc(pid, name) {
  return orNothing(() => readFileSync(`/proc/${pid}/${name}`, "utf8"));
}

function readCwd(pid) {
  return orNothing(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** A process may end while it is looked at, and another user's can't be. */
function orNothing(read) {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(error.code)) return "";
    throw error;
  }
}

function killQuietly(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
