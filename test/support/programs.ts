import { describe } from "vitest";
import { isInstalled } from "./installed.ts";

/**
 * Describes what needs programs that not every machine has; where one is missing it is skipped, and the title says which. Not in
 * CI, where everything is installed and a test that didn't run would go unseen.
 */
export function describeWith(programs: readonly string[], title: string, describeIt: () => void): void {
  const missing = programs.filter((program) => !isInstalled(program));
  const skip = missing.length > 0 && process.env["CI"] === undefined;
  describe.skipIf(skip)(skip ? `${title} (skipped here: no ${missing.join(", ")})` : title, describeIt);
}
