// What jq-wasm leaves to be desired: it gathers all of an output, without a bound, and cuts the blanks off its ends; and it makes up an
// environment, of nobody.
import { readFileSync } from "node:fs";

const changes = [
  // src/host/jq-thread.ts says what becomes of too much.
  ["if (length >= bytes.length) {", "if (length >= bytes.length) { globalThis.jqHasGrown?.(length);"],
  ["stdout: stdoutSink.toString().trim()", "stdout: stdoutSink.toString()"],
  [
    '{ USER: "web_user", LOGNAME: "web_user", PATH: "/", PWD: "/", HOME: "/home/web_user", LANG: lang, _: getExecutableName() }',
    "{}",
  ],
];

export const jqPlugin = {
  name: "jq",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]jq-wasm[\\/]dist[\\/]inline\.mjs$/ }, ({ path }) => ({
      contents: changes.reduce(changed, readFileSync(path, "utf8")),
      loader: "js",
    }));
  },
};

function changed(source, [before, after]) {
  if (source.split(before).length !== 2) throw new Error(`jq-wasm no longer has once: ${before}`);
  return source.replace(before, after);
}
