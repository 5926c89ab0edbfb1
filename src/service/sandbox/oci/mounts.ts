import { lstat, readFile } from "node:fs/promises";
import { FerryError } from "../../../base/errors.ts";
import type { Mount, SandboxSpec } from "../driver.ts";
import { agent } from "../environment.ts";
import type { Folder } from "../folder/layout.ts";
import { workspace } from "../view.ts";
import type { Image } from "./image.ts";

/** Where the filter of system calls is read from, inside. */
export const insideFilter = "/opt/ferry/filter";

/** Files of the sandbox's own /etc: the engine puts its others (hosts, hostname) beside them. */
const etcFiles = ["passwd", "group", "nsswitch.conf", "ld.so.cache"];

/**
 * The options that show a sandbox's files inside.
 * @param etc folders of this machine's /etc that go with its programs
 * @throws FerryError failure for a path that the engine would misread
 */
export async function mountOptions(folder: Folder, spec: SandboxSpec, image: Image, etc: readonly string[]): Promise<string[]> {
  const system = image.showsSystem ? [...(await systemFolders()), ...etc] : [];
  const names = image.showsSystem ? etcFiles : ["passwd", "group"];
  const files = names.map((name) => ({ source: `${folder.etc}/${name}`, target: `/etc/${name}` }));
  const read = [
    ...system.map((path) => ({ source: path, target: path })),
    ...(await Promise.all(files.map(present))).flat(),
    ...(await present({ source: folder.filter, target: insideFilter })),
    ...spec.mounts,
    ...spec.sockets,
  ];
  const below = await mountsBelow(read);
  return [
    ...[...read, ...below].map((mount) => option(mount, ",readonly")),
    option({ source: folder.workspace, target: workspace }, ""),
    option({ source: folder.home, target: agent.home }, ""),
  ];
}

function option({ source, target }: Mount, access: string): string {
  // Both engines read this as a line of comma separated values.
  for (const path of [source, target])
    if (/[,"\n]/u.test(path))
      throw new FerryError("failure", `a container can't be shown ${JSON.stringify(path)}: its path has a comma or a quote`);
  return `--mount=type=bind,source=${source},target=${target}${access}`;
}

async function present(mount: Mount): Promise<Mount[]> {
  return (await lstat(mount.source).catch(() => undefined)) === undefined ? [] : [mount];
}

/** As folders, also where they are links into /usr: the engine resolves those on the host. */
async function systemFolders(): Promise<string[]> {
  const paths = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
  return (await Promise.all(paths.map((path) => present({ source: path, target: path })))).flat().map(({ target }) => target);
}

/** A read-only bind holds for the one mount alone (mount(8)), so that each mount below it is one more. */
async function mountsBelow(mounts: readonly Mount[]): Promise<Mount[]> {
  const points = (await readFile("/proc/self/mountinfo", "utf8").catch(() => ""))
    .split("\n")
    .map((line) => unescaped(line.split(" ")[4] ?? ""));
  return mounts.flatMap(({ source, target }) =>
    points
      .filter((point) => point.startsWith(`${source}/`))
      .map((point) => ({ source: point, target: target + point.slice(source.length) })),
  );
}

/** A path as mountinfo has it, where blanks and their like are octal (proc_pid_mountinfo(5)). */
export function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
