import { FerryError } from "../../base/errors.ts";

/** The user that every process inside is, whoever it is outside. */
export const agent = { uid: 1000, name: "agent", home: "/home/agent" } as const;

/** Where the system's own programs are; not the PATH of whoever started the service. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The variable in which an environment travels into a sandbox. */
export const carrier = "FERRY_ENV";

/**
 * An environment as one variable for a shell: argv would show it to every user of the machine, and as the environment of the programs
 * that build the sandbox it would reach into them (LD_PRELOAD).
 * @throws FerryError usage for a name that no shell can export
 */
export function pack(env: Readonly<Record<string, string>>): Record<string, string> {
  const lines = Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new FerryError("usage", `"${name}" is no name of an environment variable`);
    return `export ${name}=${quote(value)}`;
  });
  return { [carrier]: lines.join("\n") };
}

/** The shell's words that turn it into the environment again; `forget` are the variables of the way in. */
export function unpack(forget: readonly string[]): string {
  return `unset ${forget.join(" ")}; eval "$${carrier}"; unset ${carrier}`;
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
