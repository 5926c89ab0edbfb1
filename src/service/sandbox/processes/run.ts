import { start } from "./start.ts";

/** Where the system's own programs are; not the PATH of whoever started the service. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Runs one of the system's programs to its end. @throws FerryError failure where it isn't there */
export async function run(argv: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const started = await start({ argv, env: { PATH: systemPath, LC_ALL: "C" }, cwd: "/" });
  started.stdin.end();
  let stdout = "";
  started.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  await started.closed;
  const { code } = await started.exit;
  return { code, stdout, stderr: started.stderrTail().toString("utf8") };
}
