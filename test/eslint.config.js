import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Where the outside world is touched: the real Host, the composition root, and programs that run as processes of their own. */
const programs = [
  "src/service/agent/agents/shell-agent.ts",
  "src/service/agent/launcher/agent-launcher.ts",
  "src/service/agent/tools/bridge.ts",
];
const outside = ["src/host/**", "src/main.ts", "src/start.ts", "src/start/**", ...programs];
/** Where files and child processes are the job itself; clock, environment and randomness come from the Host all the same. */
const edges = ["src/git/**", "src/patch/**", "src/service/{sandbox,store,agent}/**", "src/service/listen.ts"];

const viaHost = (name, replacement) => ({ name, message: `Only src/host and src/main.ts touch it; use ${replacement}.` });
const processGlobal = viaHost("process", "the Host that you were given (env, cwd, platform, terminal …)");
const timers = ["setTimeout", "setInterval", "setImmediate"].map((name) => viaHost(name, "host.clock.sleep(ms, signal)"));
const network = ["fetch", "WebSocket", "EventSource"].map((name) => viaHost(name, "host.network.send"));
const output = [viaHost("console", "host.terminal"), viaHost("performance", "host.clock.elapsed()")];

const hostOnlyProperties = [
  { object: "process", property: "env", message: "An environment is handed in: host.env." },
  { object: "process", property: "cwd", message: "A folder is handed in: host.cwd." },
  { object: "process", property: "argv", message: "Only src/main.ts reads the command line." },
  { object: "process", property: "exit", message: "Throw a FerryError: base/errors.ts alone decides exit codes." },
  { object: "Date", property: "now", message: "A test can't step it; use host.clock.now()." },
  { object: "Math", property: "random", message: "A test can't foresee it; use host.random." },
];

const randomness = {
  name: "node:crypto",
  importNames: ["randomBytes", "randomUUID", "randomInt", "getRandomValues", "webcrypto"],
  message: "A test can't foresee it; use host.random.",
};

const noDefaultExport = {
  selector: "ExportDefaultDeclaration, ExportSpecifier[exported.name='default']",
  message: "A default export has a different name in each file that imports it; export it by name.",
};
const noCurrentDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
  message: "A test can't step it; use new Date(host.clock.now()).",
};

export default defineConfig(
  globalIgnores(["dist/", "node_modules/", "coverage/", "**/golden/", "**/fixtures/"]),
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: `${import.meta.dirname}/..` } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      // An async function without await promises that what it throws is a rejection; interfaces here ask for that.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "as" }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-params": ["error", 4],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "no-restricted-syntax": ["error", noDefaultExport],
    },
  },
  {
    files: ["src/**/*.ts"],
    ignores: [...outside, ...edges],
    rules: {
      "no-restricted-globals": ["error", processGlobal, ...timers, ...network, ...output],
      "no-restricted-properties": ["error", ...hostOnlyProperties],
      "no-restricted-syntax": ["error", noDefaultExport, noCurrentDate],
      "no-restricted-imports": ["error", { paths: [randomness] }],
    },
  },
  {
    files: edges,
    ignores: outside,
    rules: {
      "no-restricted-globals": ["error", ...network, ...output],
      "no-restricted-properties": ["error", ...hostOnlyProperties],
      "no-restricted-syntax": ["error", noDefaultExport, noCurrentDate],
      "no-restricted-imports": ["error", { paths: [randomness] }],
    },
  },
  {
    files: ["**/*.{js,mjs,cjs}"],
    languageOptions: {
      globals: {
        process: "readonly",
        require: "readonly",
        __dirname: "readonly",
        console: "readonly",
        performance: "readonly",
        URL: "readonly",
      },
    },
    rules: { "no-undef": "error", "no-unused-vars": "error", eqeqeq: "error", "max-params": ["error", 4] },
  },
  { files: ["test/**/*.config.*"], rules: { "no-restricted-syntax": "off" } },
);
