import * as acp from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { reasonOf } from "../reason.ts";
import { fieldsOf, textIn } from "../reducer/fields.ts";
import type { Environment } from "../../../host/host.ts";

/** A way in which an agent can sign in. */
export interface Way {
  readonly id: string;
  readonly name: string;
}

export interface SigningIn {
  readonly agent: string;
  readonly env: Environment;
  readonly home: string;
  readonly version: string;
  /** Which of several ways. @throws FerryError where nobody can say */
  choose(ways: readonly Way[]): Promise<string>;
  /** What the agent says meanwhile, line by line: an address to open, a code. */
  tell(line: string): void;
  /** Runs a command with the user's own terminal; gives its exit code. */
  attach(argv: readonly string[], env: Environment): Promise<number>;
}

/** Ways that are a key by another name: that is ferry's to keep. */
const keys = /api[-_ ]?key|gateway|vertex/iu;

/**
 * Has an agent sign in by itself, on this machine and not in a sandbox, with a HOME of its own (ACP, authentication). Gives the way, as it
 * must be named again to each process of the agent.
 * @throws FerryError failure where it has no way to, or it didn't work
 */
export async function signIn(argv: readonly string[], options: SigningIn): Promise<string> {
  const env = { ...options.env, HOME: options.home };
  const [program = "", ...args] = argv;
  const child = spawn(program, args, { cwd: options.home, env, stdio: ["pipe", "pipe", "pipe"] });
  const dead = new Promise<never>((_, reject) => {
    child.once("error", (cause) => reject(new FerryError("failure", `${program} can't be run`, { cause })));
    child.once("exit", () => reject(new FerryError("failure", `the agent "${options.agent}" ended before it was signed in`)));
  });
  dead.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  tellLines(child.stderr, options);
  const connection = acp
    .client({ name: "ferry" })
    .onRequest(acp.methods.client.elicitation.create, ({ params }) => {
      if (params.mode !== "url") return { action: "decline" };
      options.tell(`${params.message} ${textIn(params, "url")}`);
      return { action: "accept", content: {} };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  try {
    return await Promise.race([take(connection.agent, argv, { ...options, env }), dead]);
  } catch (error) {
    // Its pipe ended: its own end says more.
    if (!(error instanceof acp.RequestError || error instanceof FerryError)) return await dead;
    if (error instanceof FerryError) throw error;
    throw new FerryError("failure", `the agent "${options.agent}" isn't signed in: ${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    connection.close();
    child.kill();
  }
}

async function take(agent: acp.ClientContext, argv: readonly string[], options: SigningIn): Promise<string> {
  const { authMethods = [] } = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { auth: { terminal: true }, elicitation: { form: {}, url: {} } },
    clientInfo: { name: "ferry", version: options.version },
  });
  const ways = authMethods.filter(({ id, name }) => !keys.test(`${id} ${name}`));
  const [only] = ways;
  if (only === undefined)
    throw new FerryError("failure", `the agent "${options.agent}" has no way to sign in but a key`, {
      hint: `ferry service agents login ${options.agent}`,
    });
  const id = ways.length === 1 ? only.id : await options.choose(ways);
  const way = ways.find((known) => known.id === id) ?? only;
  if (isTerminal(way)) {
    const code = await options.attach([...argv, ...(way.args ?? [])], { ...options.env, ...(way.env ?? {}) });
    if (code !== 0)
      throw new FerryError("failure", `the agent "${options.agent}" isn't signed in: it ended with exit status ${code}`);
    return "";
  }
  await agent.request(acp.methods.agent.authenticate, { methodId: way.id });
  // One that only says that it is signed in refuses this (ACP, auth_required).
  await agent.request(acp.methods.agent.session.new, { cwd: options.home, mcpServers: [] });
  return way.id;
}

/** Some name the usual type, too. */
function isTerminal(way: acp.AuthMethod): way is acp.AuthMethodTerminal & { type: "terminal" } {
  return fieldsOf(way)["type"] === "terminal";
}

function tellLines(stream: Readable, options: SigningIn): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()?.slice(-10_000) ?? "";
    for (const line of lines) if (line.trim() !== "") options.tell(oneLine(line));
  });
}
