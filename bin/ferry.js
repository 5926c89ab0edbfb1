#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";

const bundle = new URL("../dist/main.js", import.meta.url);

if (existsSync(bundle)) {
  module.enableCompileCache?.();
  const { main } = await import(bundle.href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.stderr.write("ferry: dist/main.js is not there\n  hint: in a checkout, run: npm run build\n");
  process.exitCode = 1;
}
