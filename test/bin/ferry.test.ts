import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { makeBinary } from "../support/binary.ts";

test("a checkout that was not built says what to do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-bin-"));
  await cp(fileURLToPath(new URL("../../bin", import.meta.url)), join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "package.json"), `{"type":"module"}`);
  const binary = makeBinary(join(folder, "bin/git-ferry.js"));
  onTestFinished(async () => {
    await binary.dispose();
    await rm(folder, { recursive: true });
  });

  expect(await binary.run(["--version"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: dist/start.js is not there\n  hint: in a checkout, run: npm run build\n",
  });
});
