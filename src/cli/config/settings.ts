import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { either, splitWords } from "../../base/words.ts";
import { nearMisses } from "../near.ts";

/** What the config file can hold beside the hosts. */
export interface Setting {
  readonly name: string;
  /** The variable of the environment that it stands in for, which wins over it. */
  readonly variable?: string;
  /** All that it can be; undefined: any text. */
  readonly values?: readonly string[];
  /** What a text that isn't one of `values` must look like, and how that is called. */
  readonly form?: Form;
  /** Whether the embedded service takes it only when it starts: its sandboxes are made one way as long as it runs. */
  readonly atStart?: true;
  readonly about: string;
}

interface Form {
  fits(text: string): boolean;
  readonly name: string;
}

export type Settings = Readonly<Record<string, string>>;

const commandLine: Form = { fits: endsItsQuotes, name: "a command line whose quotes end" };

/** Every key of `ferry config` that there always is, in the order of its list. */
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
    atStart: true,
    // That an agent is not locked in at all must be said each time, so `process` is none of them.
    values: ["auto", "bwrap", "unshare", "oci"],
    about: "what locks the embedded service's agents in: auto, bwrap, unshare or oci (default: auto)",
  },
  {
    name: "sandbox_engine",
    variable: "FERRY_SANDBOX_ENGINE",
    atStart: true,
    form: commandLine,
    about: "the container engine of sandbox oci, a command line (default: podman, else docker)",
  },
  {
    name: "sandbox_image",
    variable: "FERRY_SANDBOX_IMAGE",
    atStart: true,
    about:
      "the image of sandbox oci, which must be there already (default: this machine's programs; on macOS and Windows node:20-bookworm)",
  },
  {
    name: "sandbox_options",
    variable: "FERRY_SANDBOX_OPTIONS",
    atStart: true,
    form: commandLine,
    about: "more options of the engine's run for sandbox oci",
  },
  {
    name: "agent",
    variable: "FERRY_AGENT",
    about: "the agent of sessions on host local, AGENT or AGENT:MODEL (default: the only one that is ready)",
  },
  {
    name: "agent_permissions",
    variable: "FERRY_AGENT_PERMISSIONS",
    values: ["allow", "ask"],
    about: "whether agents do in their sandbox what they like, or ask you: allow or ask (default: allow)",
  },
];

const path = String.raw`/[^:\n]+`;
const host = String.raw`[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?`;
const variable = "[A-Za-z_][A-Za-z0-9_]*";

/** What can be said of each agent, by the last part of `agents.NAME.…`. */
const agentSettings: Readonly<Record<string, Omit<Setting, "name">>> = {
  command: { about: "the command line by which the agent speaks ACP" },
  mounts: {
    form: like(`^${path}(:${path})*$`, "absolute paths with : between them"),
    about: "files and folders of this machine that the agent sees, read-only",
  },
  env: {
    form: like(`^${variable}([ ,]+${variable})*$`, "names of variables, never values"),
    about: "variables of the service that the agent is given, by name",
  },
  keyless: {
    values: ["true", "false"],
    about: "whether the agent needs no key for its models; then it has no way to them: true or false (default: false)",
  },
  network: {
    form: like(`^${host}([ ,]+${host})*$`, "hosts as HOST or HOST:PORT"),
    about: "hosts that the agent may reach from its sandbox, by https and the like (default: none)",
  },
};

/** Every key there can be, and what it is for; NAME stands for an agent's. */
export function settingRows(): [name: string, about: string][] {
  const ofAgents = Object.entries(agentSettings).map(([field, { about }]): [string, string] => [`agents.NAME.${field}`, about]);
  return [...settings.map(({ name, about }): [string, string] => [name, about]), ...ofAgents];
}

/** @throws FerryError usage with the keys that there are */
export function settingNamed(name: string): Setting {
  const setting = findSetting(name);
  if (setting !== undefined) return setting;
  // What stands behind the sign is a value, and may be a secret.
  const [key = "", value] = name.split("=", 2);
  if (value !== undefined)
    throw new FerryError("usage", `there is no key ${oneLine(key)}=…`, { hint: "write it as ferry config set KEY VALUE" });
  const known = settingRows().map(([key]) => key);
  const near = name.includes(".") ? [] : nearMisses(name, known);
  throw new FerryError("usage", `there is no key ${oneLine(name)}`, {
    hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : `the keys are ${known.join(", ")}`,
  });
}

/** The key of that name, where it is one. */
export function findSetting(name: string): Setting | undefined {
  const [, field = ""] = /^agents\.[a-z][a-z0-9_-]{0,30}\.([a-z]+)$/u.exec(name) ?? [];
  const ofAgent = Object.hasOwn(agentSettings, field) ? agentSettings[field] : undefined;
  return ofAgent === undefined ? settings.find((known) => known.name === name) : { name, ...ofAgent };
}

/** Those that there always are, and what the file says of agents. */
export function settingsWith(kept: Settings = {}): Setting[] {
  const more = Object.keys(kept).filter((name) => !settings.some((known) => known.name === name));
  return [
    ...settings,
    ...more
      .sort()
      .map(findSetting)
      .filter((setting) => setting !== undefined),
  ];
}

/** What the key can be, in words, where the value is none of it. */
export function misfit({ values, form }: Setting, value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return (values && either(values)) ?? form?.name ?? "a text";
  if (form !== undefined) return form.fits(value) ? undefined : form.name;
  return values === undefined || values.includes(value) ? undefined : either(values);
}

function like(pattern: string, name: string): Form {
  const whole = new RegExp(pattern, "u");
  return { fits: (text) => whole.test(text), name };
}

function endsItsQuotes(text: string): boolean {
  try {
    splitWords(text);
    return true;
  } catch {
    return false;
  }
}
