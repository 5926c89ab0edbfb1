/** Where a remote lies, see git-clone(1), "GIT URLS". */
export interface RemoteAddress {
  readonly transport: "ssh" | "http" | "git";
  readonly user: string | undefined;
  /** In lower case. */
  readonly host: string;
  readonly port: string | undefined;
  /** Without slashes around it and without `.git`. */
  readonly path: string;
}

/** Undefined for what lies on this machine (a path, `file://`) or is of a remote helper. */
export function parseRemote(url: string): RemoteAddress | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(url)) return URL.canParse(url) ? fromUrl(new URL(url)) : undefined;
  const [, user, host, path] = /^(?:([^@/:]+)@)?([^/:@]+):(?!:)(.*)$/u.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  return { transport: "ssh", user, host: host.toLowerCase(), port: undefined, path: bare(path) };
}

/** As `user@host:path`, or where that has no room for the port, as a URL. */
export function sshAddress({ user, host, port, path }: RemoteAddress): string {
  const at = user === undefined ? host : `${user}@${host}`;
  return port === undefined ? `${at}:${path}.git` : `ssh://${at}:${port}/${path}.git`;
}

function fromUrl({ protocol, username, hostname, port, pathname }: URL): RemoteAddress | undefined {
  const transport = transports[protocol];
  if (transport === undefined || hostname === "") return undefined;
  return {
    transport,
    user: username === "" ? undefined : username,
    host: hostname.toLowerCase(),
    port: port === "" ? undefined : port,
    path: bare(pathname),
  };
}

const transports: Readonly<Record<string, RemoteAddress["transport"]>> = {
  "ssh:": "ssh",
  "git+ssh:": "ssh",
  "https:": "http",
  "http:": "http",
  "git:": "git",
};

function bare(path: string): string {
  return path.replace(/^\/+|\/+$/gu, "").replace(/\.git$/u, "");
}
