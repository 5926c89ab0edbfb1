import { chmod, copyFile, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agent } from "../environment.ts";

/** What of the host's /etc is seen inside as it is: no more than certificates and the links under /usr/bin need. */
const visibleEtc = ["/etc/ssl", "/etc/alternatives"] as const;

/** The agent as a user of the system inside. */
export interface EtcUser {
  readonly uid: number;
  readonly gid: number;
}

const files = ({ uid, gid }: EtcUser): Readonly<Record<string, string>> => ({
  passwd: `${uid === 0 ? "" : "root:x:0:0:root:/:/bin/sh\n"}${agent.name}:x:${uid}:${gid}:agent:${agent.home}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
  group: `${gid === 0 ? "" : "root:x:0:\n"}${agent.name}:x:${gid}:\nnogroup:x:65534:\n`,
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
  // Without it the C library asks for services that aren't there, name by name.
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
});

/** Fills the folder that stands for /etc inside; gives those of `visibleEtc` that this host has. */
export async function makeEtc(folder: string, user: EtcUser = { uid: agent.uid, gid: agent.uid }): Promise<string[]> {
  for (const [name, text] of Object.entries(files(user))) await writeReadable(join(folder, name), text);
  // The loader's list of library folders: programs linked against one outside /usr/lib don't start without.
  if (await isThere("/etc/ld.so.cache")) await copyFile("/etc/ld.so.cache", join(folder, "ld.so.cache"));
  const visible: string[] = [];
  for (const path of visibleEtc) {
    if (!(await isThere(path))) continue;
    await mkdir(join(folder, path.slice("/etc/".length)), { mode: 0o755 });
    visible.push(path);
  }
  return visible;
}

async function writeReadable(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o644);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
