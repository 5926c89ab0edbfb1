import { createServer } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";
import { json, listenerOf, type LoginServer, makeLoginServer } from "../support/login-server.ts";
import { describeWith } from "../support/programs.ts";
import { type OnTerminal, startOnTerminal } from "../support/pty.ts";
import { fileURLToPath } from "node:url";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

describeWith(["script"], "on a terminal that waits for a paste", () => {
  let place: Binary;
  let server: LoginServer;
  let terminal: OnTerminal;
  let address: string;
  beforeEach(async () => {
    place = makeBinary();
    const listening = await serve(createServer(listenerOf(() => server)));
    server = makeLoginServer(`http://${listening}`);
    const argv = [process.execPath, ferryPath, "login", "--no-browser", "--host", server.origin];
    terminal = startOnTerminal(place, argv, { FERRY_CREDENTIAL_STORE: "file", LC_ALL: "C.UTF-8" });
    const [, url = ""] = await terminal.see(/\n {2}(http\S+authorize\S+)\r?\n/u);
    address = server.approve(url);
    await terminal.see(/Or paste here .* left\)/u);
  });
  afterEach(() => place.dispose());

  test("what is said of another answer has lines of its own, above the question", async () => {
    server.answers.set("/token", async () => json(400, { error: "invalid_grant" }));
    await fetch(address);
    await terminal.see(/give up with Ctrl-C\r?\n[^\n]*Or paste here/u);
    const [line] = terminal
      .screen()
      .split(/\r?\n/u)
      .filter((each) => each.includes("refused the code"));
    expect(line?.replace(/^.*(?:\x1b\[[\d;?]*[A-Za-z]|\r)/u, "")).toBe(
      `${new URL(server.origin).host} refused the code: it is wrong, used or too old; approve it once more at the address above, or give up with Ctrl-C`,
    );
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
  });

  test("an address that was broken into lines where it was copied is one", async () => {
    const at = address.indexOf("state=") + 20;
    terminal.type(`${address.slice(0, 30)}\r\n${address.slice(30, at)}\n  ${address.slice(at)}\n`);
    await terminal.see(/logged in to /u);
    expect(await terminal.ended).toBe(0);
    expect(server.given).toEqual(["key-1"]);
  });
});
