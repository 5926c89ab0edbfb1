/** The hooks that ferry has a part in. */
export const hookNames = ["post-checkout", "post-merge", "pre-push"] as const;
export type HookName = (typeof hookNames)[number];

const begin = "# >>> ferry: commits of the linked session; `ferry hook uninstall` takes this out";
const end = "# <<< ferry";
const shebang = "#!/bin/sh\n";

/** A shell's script, in which a block of ours can stand: it does what it does also with those options. */
export function isShellScript(text: string): boolean {
  return /^#!.*\b(sh|bash|dash|ksh|zsh|ash)(\s+-[eux]+)?\s*$/mu.test(text.split("\n", 1)[0] ?? "");
}

/** The folder beside the hooks in which a hook that was put aside has a link of its own name, for those that look what they are called. */
export const linksFolder = "ferry-kept";
export const asideEnding = ".before-ferry";

/** A hook that is ours alone. */
export function ownHook(name: HookName): string {
  return withBlock(undefined, name);
}

/**
 * The same where another one was put aside, in whatever language: ours comes first and then becomes that one, so that what git says on
 * stdin is still all there. What git wouldn't run stays off. The link may be missing, as on Windows.
 */
export function ownHookBefore(name: HookName): string {
  const next = `for kept in "\${0%/*}/${linksFolder}/${name}" "$0${asideEnding}"; do if [ -f "$kept" ] && [ -x "$kept" ]; then exec "$kept" "$@"; fi; done\n`;
  return ownHook(name) + next;
}

/** Whether nothing stands in it but ours, as this or an earlier ferry wrote it. */
export function isOwnHook(text: string): boolean {
  const rest = withoutBlock(text);
  return hasBlock(text) && (rest === "" || /^#!\/bin\/sh\n.*"\$0\.before-ferry".*\n$/u.test(rest));
}

export function hasBlock(text: string): boolean {
  return text.includes(begin);
}

/** The script with our block as the first thing that it does, since it may end itself; another block of ours is replaced. */
export function withBlock(text: string | undefined, name: HookName): string {
  const script = text === undefined ? shebang : withoutBlock(text);
  const first = script.indexOf("\n") + 1;
  return `${script.slice(0, first)}${block(name)}${script.slice(first)}`;
}

/** The script as it was; "" where nothing but ours stood in it. */
export function withoutBlock(text: string): string {
  const [before = "", rest] = text.split(`${begin}\n`, 2);
  if (rest === undefined) return text;
  const script = before + rest.slice(rest.indexOf(`${end}\n`) + end.length + 1);
  return script === shebang ? "" : script;
}

/**
 * POSIX sh that asks git first, so that a branch without a session costs no Node. What git gives a hook on stdin is left for the
 * others. githooks(5): post-checkout's third argument is 1 for a change of branch; in a rebase it runs for each step.
 */
function block(name: HookName): string {
  const branch = "$(git symbolic-ref --quiet --short HEAD)";
  const linked = `[ -n "$(git config --get "branch.${branch}.ferrySession")" ]`;
  const settled = ["rebase-merge", "rebase-apply"].map((place) => `[ ! -d "$(git rev-parse --git-path ${place})" ]`);
  const conditions = [
    ...(name === "post-checkout" ? ['[ "${3-}" = 1 ]'] : []),
    linked,
    ...settled,
    '[ -z "${FERRY_HOOK_FAILED-}" ]',
    "command -v ferry >/dev/null",
  ];
  // Where ours fails, the hook runs once more without it, so that the others' part is done, and fails then.
  const failed = 'failed=$?; FERRY_HOOK_FAILED=$failed "$0" "$@" || exit $?; exit "$failed"';
  return `${begin}\nif ${conditions.join(" &&\n  ")}\nthen ferry hook run ${name} </dev/null || { ${failed}; }; fi\n${end}\n`;
}
