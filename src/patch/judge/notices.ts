import { count } from "../../base/text.ts";
import { type GitPath, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";

const shown = 5;

/** What in a series runs, or changes what runs, on the machine of whoever checks it out or pushes it: a line each. */
export function noticesOf(changes: readonly Change[]): string[] {
  const present = changes.filter((change) => change.newMode !== modes.absent);
  return rules.flatMap(({ what, applies }) => {
    const paths = [...new Set(present.filter(applies).map((change) => change.path))];
    return paths.length === 0 ? [] : [`${what}: ${listed(paths.map(showPath))}`];
  });
}

const rules: readonly { readonly what: string; readonly applies: (change: Change) => boolean }[] = [
  { what: "hooks that tools run on git commands", applies: ({ path }) => hookFolders.test(path) },
  { what: "attributes (filters and merge drivers may act)", applies: ({ path }) => named(path, ".gitattributes") },
  { what: "submodules", applies: ({ path, newMode }) => named(path, ".gitmodules") || newMode === modes.gitlink },
  { what: "workflows that run on a push", applies: ({ path }) => workflows.test(path) },
  {
    what: "newly executable",
    applies: ({ oldMode, newMode }) => newMode === modes.executable && oldMode !== modes.executable,
  },
];

const hookFolders =
  /(^|\/)(\.husky|\.githooks|\.git-hooks)\/|(^|\/)(\.pre-commit-config\.yaml|lefthook\.ya?ml|\.lefthook\.ya?ml)$/u;
const workflows =
  /^(\.github\/(workflows|actions)\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|azure-pipelines\.yml$|\.woodpecker)/u;

function named(path: GitPath, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

/** The first few of what is harmless to show, and how many more. */
export function listed(names: readonly string[]): string {
  const first = names.slice(0, shown).join(", ");
  return names.length > shown ? `${first} and ${count(names.length - shown, "other")}` : first;
}
