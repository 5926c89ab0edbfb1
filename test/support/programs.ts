import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/**
 * Describes what needs programs that not every machine has; where one is missing it is skipped, and the title says which. Not in
 * CI, where everything is installed and a test that didn't run would go unseen.
 */
export function describeWith(programs: readonly string[], title: string, describeIt: () => void): void {
  const missing = programs.filter((program) => !isInstalled(program));
  const skip = missing.length > 0 && process.env["CI"] === undefined;
  describe.skipIf(skip)(skip ? `${title} (skipped here: no ${missing.join(", ")})` : title, describeIt);
}

function isInstalled(program: string): boolean {
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
