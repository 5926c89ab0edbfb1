import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program is on PATH. */
export function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
