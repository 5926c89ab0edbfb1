import { whyNoBrowser } from "../../../../auth/browser/choice.ts";
import type { Check } from "../check.ts";

export const browser: Check = {
  name: "browser",
  async run({ host }) {
    const obstacle = await whyNoBrowser(host);
    const hint = "ferry login prints the address to open, and takes the code that the browser ends with; or use --device";
    if (obstacle !== undefined) return { verdict: "warning", says: `none is opened here: ${obstacle}`, hint };
    if (host.platform === "linux" && (await host.processes.find("xdg-open")) === undefined)
      return { verdict: "warning", says: "xdg-open is not installed, so none may open", hint };
    return { verdict: "ok", says: "can be opened" };
  },
};
