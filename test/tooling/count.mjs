// `node count.mjs RESULTS…`: adds up vitest's JSON reports. Names each test that failed, with the first line of why, since the
// reports themselves are thousands of lines above; the last line is `N passed, N failed`.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const reports = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .map((path) => ({ run: basename(path, ".json"), ...JSON.parse(readFileSync(path, "utf8")) }));

const passed = sum(reports.map((report) => report.numPassedTests));
/** A file that can't even be loaded has no tests that could fail, so it counts as one. */
const unloaded = reports.flatMap((report) =>
  report.testResults.filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0),
);
for (const { run, testResults } of reports) {
  for (const { name, status, message, assertionResults } of testResults) {
    const broken = assertionResults.filter((test) => test.status === "failed");
    for (const test of broken) tell(run, `${name} > ${test.fullName}`, test.failureMessages.join("\n"));
    if (status === "failed" && assertionResults.length === 0) tell(run, name, message);
  }
}
const failed = sum(reports.map((report) => report.numFailedTests)) + unloaded.length;
console.log(`${passed} passed, ${failed} failed`);

function tell(run, test, why) {
  console.log(`FAILED (${run}) ${test}\n    ${why.trim().split("\n", 1)[0]}`);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
