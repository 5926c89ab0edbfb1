import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";

/** What the config file can hold beside the hosts. Each stands in for a variable of the environment, which wins over it. */
export interface Setting {
  readonly name: string;
  readonly variable: string;
  /** All that it can be; undefined: any text. */
  readonly values?: readonly string[];
  readonly about: string;
}

export type Settings = Readonly<Record<string, string>>;

/** Every key of `ferry config`, in the order of its list. */
export const settings: readonly Setting[] = [
  {
    name: "credential_store",
    variable: "FERRY_CREDENTIAL_STORE",
    values: ["keychain", "file"],
    about: "where login keeps keys: keychain or file (default: the keychain where there is one)",
  },
  {
    name: "sandbox",
    variable: "FERRY_SANDBOX",
    // That an agent is not locked in at all must be said each time, so `process` is none of them.
    values: ["auto", "bwrap", "unshare"],
    about: "what locks the embedded service's agents in: auto, bwrap or unshare (default: auto)",
  },
];

/** @throws FerryError usage with the keys that there are */
export function settingNamed(name: string): Setting {
  const setting = settings.find((known) => known.name === name);
  if (setting !== undefined) return setting;
  throw new FerryError("usage", `there is no key ${oneLine(name)}`, {
    hint: `the keys are ${settings.map((known) => known.name).join(", ")}`,
  });
}

/** What the key can be, in words, where the value is none of it. */
export function misfit({ values }: Setting, value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return values?.join(" or ") ?? "a text";
  return values === undefined || values.includes(value) ? undefined : values.join(" or ");
}
