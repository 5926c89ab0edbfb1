import { asFerryError } from "../../../../base/errors.ts";
import { readBody } from "../../../../client/http/body.ts";
import type { Check } from "../check.ts";

export const callback: Check = {
  name: "callback port",
  async run({ host }) {
    const hint = "log in by pasting the code that the browser shows, or with --device";
    try {
      const listener = await host.network.listen(async () => ({ status: 200, headers: {}, body: "ferry" }));
      try {
        const response = await host.network.send({
          method: "GET",
          url: `http://127.0.0.1:${listener.port}/`,
          headers: {},
          idleTimeout: 3000,
        });
        const answer = new TextDecoder().decode(await readBody(response, host.clock));
        if (answer !== "ferry") return { verdict: "warning", says: "something else answers on 127.0.0.1", hint };
        return { verdict: "ok", says: "a browser can come back to 127.0.0.1" };
      } finally {
        await listener.close();
      }
    } catch (error) {
      return { verdict: "warning", says: `127.0.0.1 can't be listened on: ${asFerryError(error).message}`, hint };
    }
  },
};
