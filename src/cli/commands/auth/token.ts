import { FerryError } from "../../../base/errors.ts";
import { chooseHost } from "../../flows/host/choose.ts";
import { keyFor } from "../../flows/host/connect.ts";
import type { Verb } from "../../verb.ts";

export const token: Verb = {
  name: "token",
  summary: "Print the key of a login, for another program",
  answer: ["host", "token"],
  // On curl's stdin: an argument could be read by every other user of the machine.
  examples: [
    "ferry auth token --host agents.example.com | sed 's/^/x-api-key: /' | curl -H @- https://agents.example.com/api/v1/sessions",
  ],
  async run(context) {
    if (context.global.json && !context.global.showSecrets)
      throw new FerryError("usage", "with --json the key would be cut", { hint: "add --show-secrets" });
    const chosen = await chooseHost(context, undefined, { withLogin: true });
    if (chosen.kind === "local")
      throw new FerryError("usage", "the embedded service has no login", { hint: "name another host with --host" });
    const { value } = await keyFor(context, chosen);
    if (context.global.json) await context.print.json({ host: chosen.url, token: value });
    else await context.print.data(`${value}\n`);
  },
};
