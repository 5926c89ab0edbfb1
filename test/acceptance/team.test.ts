import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { makeCertificates } from "../support/certificates.ts";
import { describeWith } from "../support/programs.ts";
import { startOnTerminal } from "../support/pty.ts";
import { type Serving, startServing } from "../support/serving.ts";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));
const password = "correct horse battery";

describeWith(["openssl", "script"], "a service for a team, over TLS", () => {
  let folder: string;
  let service: Binary;
  let serving: Serving;
  let ada: Binary;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ferry-team-"));
    makeCertificates(folder);
    [service, ada] = [makeBinary(), makeBinary()];
    const added = await service.run(["service", "user", "add", "ada", "--password-stdin"], { input: password });
    expect(added).toMatchObject({ code: 0 });
    serving = await startServing(service, "--tls-cert", join(folder, "host.pem"), "--tls-key", join(folder, "host.key"));
    env = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
  });
  afterAll(async () => {
    await serving.stop();
    for (const place of [service, ada]) await place.dispose();
    rmSync(folder, { recursive: true });
  });

  interface Reply {
    readonly status: number | undefined;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }

  async function call(
    path: string,
    form?: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const body = form === undefined ? "" : new URLSearchParams(form).toString();
    const type = {
      origin: serving.address,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
    };
    const sent = request(serving.address + path, {
      method: form === undefined ? "GET" : "POST",
      ca: readFileSync(join(folder, "ca.pem")),
      headers: { ...(form !== undefined && type), ...headers },
    });
    const [reply] = (await once(sent.end(body), "response")) as [IncomingMessage];
    return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
  }

  /** As ada in her browser. Gives where the sign-in's pages are, and its cookie. */
  async function signIn(): Promise<{ readonly base: string; readonly cookie: string }> {
    const { status, headers } = await call("/sign-in/password", { name: "ada", password, to: "/" });
    expect(status).toBe(303);
    const [set = ""] = headers["set-cookie"] ?? [];
    expect(set).toMatch(/^__Secure-ferry_\d+=[\w-]{43}; Path=\/s\/[\w-]{43}; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/u);
    return { base: (headers.location ?? "").replace(/\/$/u, ""), cookie: set.split(";")[0] ?? "" };
  }

  test("a user logs in as themself, and is nobody any more once they were removed", async () => {
    const terminal = startOnTerminal(ada, [process.execPath, ferryPath, "login", "--host", serving.address], env);
    const [, address = ""] = await terminal.see(/^ {2}(https:\S+)\r?$/mu);
    const { base, cookie } = await signIn();
    const { pathname, search } = new URL(address);
    const asking = await call(base + pathname + search, undefined, { cookie });
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/u.exec(asking.body) ?? [];
    const approved = await call(base + pathname + search, { csrf, decision: "approve" }, { cookie });
    const back = new URL(approved.headers.location ?? "");
    expect([back.hostname, back.searchParams.get("iss")]).toEqual(["127.0.0.1", serving.address]);
    await (await fetch(back)).text();
    expect(await terminal.ended).toBe(0);

    expect((await service.run(["key", "list", "--host", "local"])).stdout).toMatch(/\tada$/mu);

    const who = await ada.run(["whoami", "--json"], { env });
    expect(JSON.parse(who.stdout)).toMatchObject({ host: serving.address, user: { name: "ada" }, portal_url: serving.address });
    const fields = ["platform=git", "name=a", "full_name=o/a", "clone_url=/srv/a"].flatMap((field) => ["-f", field]);
    expect(await ada.run(["api", "POST", "repositories", ...fields], { env })).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("only the owner of this service can register a place on its machine") as string,
    });

    expect(await service.run(["service", "user", "remove", "ada", "--yes"])).toMatchObject({ code: 0 });
    expect(await ada.run(["whoami"], { env })).toMatchObject({ code: 4 });
    expect((await call(`${base}/keys`, undefined, { cookie })).body).toContain("<h1>Sign in</h1>");
    expect((await call("/sign-in/password", { name: "ada", password, to: "/" })).status).toBe(403);
  });

  test("its own user's commands go on over the socket, and the link is the certificate's", async () => {
    expect(await service.run(["whoami", "--host", "local", "--json"])).toMatchObject({ code: 0 });
    const status = JSON.parse((await service.run(["service", "status", "--json"])).stdout) as { portal: string };
    expect(status.portal).toBe(serving.address);
  });

  test("a client that doesn't know the authority says what to set", async () => {
    const { code, stderr } = await ada.run(["login", "--host", serving.address, "--device"]);
    expect([code, stderr]).toEqual([6, expect.stringContaining("NODE_EXTRA_CA_CERTS")]);
  });

  test("a page of another origin can't post to it", async () => {
    const form = { name: "ada", password, to: "/" };
    for (const origin of ["https://evil.example", serving.address.replace("https", "http")])
      expect((await call("/sign-in/password", form, { origin })).status).toBe(403);
  });
});
