#!/usr/bin/env node
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const program = join(__dirname, "../dist/start.js");

if (existsSync(program)) {
  require(program).start(process.argv.slice(2));
} else {
  process.stderr.write("ferry: dist/start.js is not there\n  hint: in a checkout, run: npm run build\n");
  process.exitCode = 1;
}
