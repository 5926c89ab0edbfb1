import { InvalidArgumentError, Option } from "commander";
import { resolve } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { serveHere, type TcpRequest } from "../../flows/local/serve.ts";
import type { Context } from "../../context.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";
import { addServiceOptions, withData, type ServiceOptions } from "./options.ts";

interface Options extends ServiceOptions {
  readonly port?: number;
  readonly listen?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: string;
  readonly role: (typeof roles)[number];
  readonly stopWhenIdle?: number;
}

/** With PostgreSQL the interface and the turns can be on machines of their own. */
const roles = ["all", "api", "worker"] as const;

export const serve: Verb = {
  name: "serve",
  summary: "Run the embedded service here, until Ctrl-C",
  description:
    "Run the embedded service here, until Ctrl-C: the whole interface on a socket that only you can open, with sessions in sandboxes of their own. On a terminal it prints a link that signs a browser in to its portal. With --tls-cert or --behind-proxy others reach it as well, and sign in with passwords (ferry service user). Its log goes to stderr: where it serves, then a JSON object a line.",
  examples: [
    "ferry serve",
    "ferry serve --sandbox unshare --port 8080",
    "ferry serve --listen 0.0.0.0 --port 8443 --tls-cert fullchain.pem --tls-key privkey.pem",
    "ferry serve --port 8080 --behind-proxy https://agents.example.com",
  ],
  define(command) {
    addServiceOptions(command);
    command
      .option("--port <number>", "listen on this TCP port too (0: any free one)", portNumber)
      .option("--listen <address>", "the address for --port; another than a loopback one needs TLS (default: 127.0.0.1)")
      .option("--tls-cert <file>", "speak TLS on --port with this certificate (PEM), the ones that it leads to behind it")
      .option("--tls-key <file>", "its key (PEM), which nobody else can read")
      .option("--behind-proxy <url>", "a proxy speaks TLS for --port, and is reached at this address")
      .addOption(
        new Option("--role <role>", "what this process does; any but all needs PostgreSQL").choices(roles).default("all"),
      )
      .addOption(new Option("--stop-when-idle <duration>").argParser(duration).hideHelp());
  },
  async run(context, options: Options) {
    const { data, sandbox, agent, strict, role, stopWhenIdle } = options;
    if (role !== "all")
      throw new FerryError("usage", `--role ${role} needs a database that several processes share (DATABASE_URL, PostgreSQL)`, {
        hint: "this version keeps everything in SQLite, where one process does it all: leave --role out",
      });
    const tcp = tcpOf(context, options);
    await serveHere(withData(context, data), { sandbox, agent, strict, tcp, idle: stopWhenIdle, elsewhere: data !== undefined });
  },
};

function tcpOf({ folder }: Context, options: Options): TcpRequest | undefined {
  const { listen, port, tlsCert, tlsKey, behindProxy } = options;
  if (port !== undefined) {
    const path = (given: string | undefined) => given && resolve(folder, given);
    return { address: listen ?? "127.0.0.1", port, tlsCert: path(tlsCert), tlsKey: path(tlsKey), behindProxy };
  }
  const given = { "--listen": listen, "--tls-cert": tlsCert, "--tls-key": tlsKey, "--behind-proxy": behindProxy };
  const [first] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (first === undefined) return undefined;
  throw new FerryError("usage", `${first} is about --port, and there is no --port`, { hint: "add --port NUMBER" });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (text.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError("It is no port.");
  return port;
}
