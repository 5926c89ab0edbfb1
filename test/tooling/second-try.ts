import type { Reporter, TestCase } from "vitest/node";

/**
 * A vitest reporter that names, at the end of a run, each test that passed at its second try only. `.ci/run` gives every test two, since
 * a shared machine can stand still for longer than a test waits; what needed them is named all the same, to be looked into.
 */
export class SecondTries implements Reporter {
  readonly #named: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#named.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#named) process.stdout.write(`passed at the second try: ${name}\n`);
  }
}
