import type { Context } from "../../../context.ts";
import type { Check } from "../check.ts";

const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;

export const proxy: Check = {
  name: "proxy",
  async run({ host }) {
    const set = names.map((name) => [name, host.env[name] ?? ""] as const).filter(([, value]) => value !== "");
    if (set.length === 0) return { verdict: "ok", says: "none is set" };
    const wrong = set.find(([, value]) => !isProxy(value));
    if (wrong !== undefined)
      return {
        verdict: "failed",
        says: `${wrong[0]} is no address of a proxy`,
        hint: "write it as http://proxy.example.com:3128",
      };
    const said = set.map(([name, value]) => `${name} ${new URL(value).host}`).join(", ");
    return { verdict: "ok", says: `${said}${exceptions(host.env)}` };
  },
};

function isProxy(text: string): boolean {
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol);
}

function exceptions(env: Context["host"]["env"]): string {
  const without = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return without === "" ? "" : `; not for ${without}`;
}
