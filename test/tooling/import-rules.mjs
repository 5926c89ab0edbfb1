// Who may import what; src/README.md draws it. `import-rules.test.ts` breaks each rule once and sees it caught.
const forbid = (name, from, to) => ({ name, severity: "error", from, to });
const layer = (name, may) =>
  forbid(`${name}-imports`, { path: `^src/${name}/` }, { path: "^src/", pathNot: `^src/(${[name, ...may].join("|")})/` });
const home = (name, where, packages) =>
  forbid(`one-home-for-${name}`, { path: "^src/", pathNot: `^src/(${where})` }, { path: `node_modules/(${packages})/` });
const harmlessBuiltins = "^(node:)?(path|url|util|crypto|stream|events|zlib)(/|$)";

export default {
  forbidden: [
    forbid("no-circular", { path: "^src/" }, { circular: true }),
    layer("base", []),
    layer("wire", ["base"]),
    layer("client", ["wire", "base", "host"]),
    layer("host", ["base"]),
    layer("git", ["base", "host"]),
    layer("patch", ["git", "wire", "base", "host"]),
    layer("auth", ["client", "wire", "base", "host"]),
    layer("service", ["git", "wire", "base", "host"]),
    forbid("cli-without-service", { path: "^src/cli/", pathNot: "^src/cli/flows/" }, { path: "^src/service/" }),
    forbid("service-loaded-lazily", { path: "^src/(cli/|main[.]ts)" }, { path: "^src/service/", dynamic: false }),
    forbid(
      "host-by-interface",
      { path: "^src/", pathNot: "^src/(host/|(main|start)[.]ts)" },
      { path: "^src/host/", pathNot: "^src/host/host[.]ts$" },
    ),
    forbid("interface-is-bare", { path: "^src/host/host[.]ts$" }, { path: "^src/host/" }),
    forbid("nobody-imports-main", { path: "^src/" }, { path: "^src/main[.]ts$" }),
    forbid(
      "nouns-are-islands",
      { path: "^src/cli/commands/([^/]+)/" },
      { path: "^src/cli/commands/([^/]+)/", pathNot: "^src/cli/commands/$1/" },
    ),
    forbid(
      "drivers-are-islands",
      { path: "^src/service/(sandbox/drivers|agent/agents)/([^/]+)" },
      { path: "^src/service/(sandbox/drivers|agent/agents)/", pathNot: "^src/service/$1/$2" },
    ),
    home("commander", "cli/", "commander"),
    home("zod", "wire/", "zod"),
    home("oauth", "auth/", "oauth4webapi"),
    home("hono", "service/", "hono"),
    home("terminal-and-net", "host/", "open|@napi-rs|@inquirer|ora"),
    // It only writes text here: whether there is colour is the host's word.
    home("chalk", "cli/output/", "chalk"),
    home("processes", "host/|git/|service/sandbox/drivers/|service/agent/", "execa"),
    home("git", "git/", "simple-git"),
    home("sql", "service/store/", "libsql|kysely"),
    home("jq", "host/", "jq-wasm"),
    home("acp", "service/agent/", "@agentclientprotocol"),
    forbid(
      "no-io-outside-edges",
      { path: "^src/(base|wire|client|cli|auth)/" },
      { dependencyTypes: ["core"], pathNot: harmlessBuiltins },
    ),
    forbid(
      "git-and-patch-io",
      { path: "^src/(git|patch)/" },
      {
        dependencyTypes: ["core"],
        pathNot: `${harmlessBuiltins}|^(node:)?(fs|os|child_process|process|events|buffer|readline)(/|$)`,
      },
    ),
    forbid(
      "service-io-at-its-edges",
      { path: "^src/service/", pathNot: "^src/service/(store|sandbox|agent)/|^src/service/listen[.]ts$" },
      { dependencyTypes: ["core"], pathNot: harmlessBuiltins },
    ),
    forbid("src-never-imports-test", { path: "^src/" }, { path: "^test/" }),
    forbid("no-unresolved", { path: "^src/" }, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
