import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeBinary } from "../support/binary.ts";
import { commitFiles, makeRepository } from "../support/git.ts";

/** What a pull that finds nothing new costs beside the shortest question to the same service (pull.md, Speed: 1.3 times at most). */
const aim = 1.3;
const rounds = 21;
// The runner of the benches starts them in the checkout's folder.
const binary = makeBinary(join(process.cwd(), "bin/ferry.js"));

try {
  const place = join(binary.folder, "repository");
  mkdirSync(place);
  commitFiles(makeRepository(place), { a: "a\n" }, "first");
  const run = async (...args: string[]): Promise<number> => {
    const started = performance.now();
    const { code, stderr } = await binary.run(args, { cwd: place, env: { FERRY_HOST: "local" } });
    if (code !== 0) throw new Error(`ferry ${args.join(" ")}: ${stderr}`);
    return performance.now() - started;
  };
  await run("run", "--model", "shell", "echo b > b");
  const [pulls, questions]: [number[], number[]] = [[], []];
  // In turn, so that what else the machine does falls on both.
  for (let round = 0; round < rounds; round += 1) {
    pulls.push(await run("pull"));
    questions.push(await run("whoami"));
  }
  const [pull, question] = [median(pulls), median(questions)];
  console.log(`  ferry whoami             ${question.toFixed(0)} ms`);
  console.log(`  ferry pull, nothing new  ${pull.toFixed(0)} ms  ${(pull / question).toFixed(2)}×  (aim ${aim}×)`);
} finally {
  await binary.dispose();
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
