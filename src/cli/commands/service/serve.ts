import { InvalidArgumentError, Option } from "commander";
import { FerryError } from "../../../base/errors.ts";
import { serveHere } from "../../flows/local/serve.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";
import { addServiceOptions, withData, type ServiceOptions } from "./options.ts";

interface Options extends ServiceOptions {
  readonly listen?: string;
  readonly port?: number;
  readonly stopWhenIdle?: number;
}

export const serve: Verb = {
  name: "serve",
  summary: "Run the embedded service here, until Ctrl-C",
  description:
    "Run the embedded service here, until Ctrl-C: the whole interface on a socket that only you can open, with sessions in sandboxes of their own. On a terminal it prints a link that signs a browser in to its portal. Its log goes to stderr, a JSON object a line.",
  examples: ["ferry serve", "ferry serve --sandbox unshare --port 8080"],
  define(command) {
    addServiceOptions(command);
    command
      .option("--port <number>", "listen on this TCP port too (0: any free one)", portNumber)
      .option("--listen <address>", "the loopback address for --port (default: 127.0.0.1)")
      .addOption(new Option("--stop-when-idle <duration>").argParser(duration).hideHelp());
  },
  async run(context, { data, sandbox, agent, strict, listen, port, stopWhenIdle }: Options) {
    if (listen !== undefined && port === undefined)
      throw new FerryError("usage", "--listen says where --port is, and there is no --port", { hint: "add --port NUMBER" });
    const tcp = port === undefined ? undefined : { address: listen ?? "127.0.0.1", port };
    await serveHere(withData(context, data), { sandbox, agent, strict, tcp, idle: stopWhenIdle });
  },
};

function portNumber(text: string): number {
  const port = Number(text);
  if (text.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError("It is no port.");
  return port;
}
