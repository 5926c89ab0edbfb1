import { execFileSync } from "node:child_process";

/** Makes folders in each other whose whole path no call takes (PATH_MAX), with names that are no text in the last. Gives the first one's. */
export function makeDeep(folder: string, name: string): string {
  const script = `const fs = require("node:fs");
    process.chdir(process.argv[1]);
    for (const name of [process.argv[2], ...Array(60).fill("d".repeat(200))]) { fs.mkdirSync(name); process.chdir(name); }
    fs.writeFileSync(Buffer.from([0xff, 0xfe]), "");
    fs.mkdirSync(Buffer.from([0xff]));`;
  execFileSync(process.execPath, ["-e", script, folder, name]);
  return `${folder}/${name}`;
}
