import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeBinary, type Binary } from "../../support/binary.ts";
import { startOnTerminal } from "../../support/pty.ts";

const ferryPath = fileURLToPath(new URL("../../../bin/ferry.js", import.meta.url));
const start = ["service", "start", "--sandbox", "process"] as const;

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

test("status, stop and logs are of another folder's service with --data", async () => {
  const data = join(ferry.folder, "other");
  const there = ["--data", "other"];
  const { pid } = JSON.parse((await ferry.run([...start, ...there, "--json"], { cwd: ferry.folder })).stdout) as { pid: number };
  expect((await ferry.run([...start, ...there], { cwd: ferry.folder })).stderr).toContain(": ferry service stop --data other, ");
  expect((await ferry.run(["serve", ...there], { cwd: ferry.folder })).stderr).toContain(
    `hint: stop it with \`ferry service stop --data ${data}\` (or kill ${pid}), `,
  );
  const status = (...more: readonly string[]) => ferry.run(["service", "status", "--json", ...more], { cwd: ferry.folder });
  expect(JSON.parse((await status(...there)).stdout)).toMatchObject({ running: true, pid, data });
  expect(JSON.parse((await status()).stdout)).toMatchObject({ running: false });
  expect(await ferry.run(["service", "stop", ...there], { cwd: ferry.folder })).toMatchObject({
    code: 0,
    stderr: `the embedded service (process ${pid}) has stopped\n`,
  });
  expect((await ferry.run(["service", "logs", ...there], { cwd: ferry.folder })).stdout).toContain('"message":"stopped"');
  expect((await ferry.run(["service", "logs"])).code).toBe(5);
});

test("serve with --data says on a terminal how another link is had", async () => {
  const argv = [process.execPath, ferryPath, "serve", "--sandbox", "process"];
  const serving = startOnTerminal(ferry, [...argv, "--data", "other place"]);
  const data = join(ferry.folder, "other place");
  const [, quoted = ""] = await serving.see(/^another link: ferry service status --data (.*?)\r?$/mu);
  serving.type("\u0003");
  expect([quoted, await serving.ended]).toEqual([`"${data}"`, 0]);
});

test("a data folder that is the user's own link to a private folder is used; doctor finds fault where a start would", async () => {
  const [data, big] = [join(ferry.folder, "data"), join(ferry.folder, "big")];
  mkdirSync(big, { mode: 0o755 });
  rmSync(data, { recursive: true, force: true });
  symlinkSync(big, data);
  const ofDoctor = async () => {
    const { stdout } = await ferry.run(["doctor", "--host", "local", "--json"]);
    return (JSON.parse(stdout) as { name: string }[]).find(({ name }) => name === "service");
  };
  const fault = `the folder for the service's socket is not this user's alone: ${big}`;
  expect(await ofDoctor()).toMatchObject({ verdict: "failed", says: fault, hint: `make it so (chmod go= ${big}), or remove it` });
  expect((await ferry.run(start)).stderr).toContain(fault);

  chmodSync(big, 0o700);
  expect(await ofDoctor()).toMatchObject({ verdict: "ok" });
  expect(await ferry.run(start)).toMatchObject({ code: 0 });
  expect(await ferry.run(["session", "list", "--host", "local"])).toEqual({ code: 0, stdout: "", stderr: "no sessions\n" });
  const { stdout } = await ferry.run(["service", "status", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ running: true, socket: join(big, "ferry.sock"), data });
});
