import { build } from "esbuild";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Bundles `sandbox-program.ts` into `folder`, for any user to run; gives the command's words up to its arguments. */
export async function buildProgram(folder: string): Promise<string[]> {
  const outfile = join(folder, "sandbox-program.mjs");
  const entry = fileURLToPath(new URL("./sandbox-program.ts", import.meta.url));
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
  return [process.execPath, outfile];
}
