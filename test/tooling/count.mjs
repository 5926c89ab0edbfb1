// `node count.mjs RESULTS…`: adds up vitest's JSON reports and prints one line, `N passed, N failed`.
import { existsSync, readFileSync } from "node:fs";

const reports = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, "utf8")));

const passed = sum(reports.map((report) => report.numPassedTests));
/** A file that can't even be loaded has no tests that could fail, so it counts as one. */
const unloaded = reports.flatMap((report) =>
  report.testResults.filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0),
);
const failed = sum(reports.map((report) => report.numFailedTests)) + unloaded.length;
console.log(`${passed} passed, ${failed} failed`);

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
