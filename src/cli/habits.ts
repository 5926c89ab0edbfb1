import type { Command } from "commander";
import { FerryError } from "../base/errors.ts";
import { fields } from "../wire/fields.ts";
import type { GlobalOptions } from "./options.ts";

/**
 * Flags that a hand types out of habit from gh, glab, docker, kubectl and curl, and what does the same here: those of ours that the
 * command itself has, else the first that every command has.
 */
const flags: readonly (readonly [theirs: string, ours: string])[] = [
  [
    // A secret stands in no argument here.
    "--with-token --token-stdin --password-stdin --stdin --token --password --pat --api-key --key",
    "--with-token --token-stdin --token-env",
  ],
  ["--hostname --server --url --endpoint --api-url", "--base-url --host"],
  ["--format --output -o", "--json"],
  ["--template --query -t", "--jq"],
  ["--project -R -r", "--repo -C"],
  ["--repo", "-C"],
  ["--cwd --dir --directory --workdir --chdir", "-C"],
  ["-L -n --max --count --tail --per-page --last", "--limit --lines --dry-run"],
  ["--state -s", "--status"],
  ["--author --assignee --creator -A -a", "--user"],
  ["--head --ref --source-branch -b -H", "--branch"],
  ["--target-branch --from -B", "--base"],
  ["--message --prompt --body --text --data -m -b -d -p", "--message --prompt --input"],
  ["--body-file --prompt-file --from-file --filename -T", "--file"],
  ["--raw-field --form --param", "--field"],
  ["--headers --show-headers", "--include"],
  ["--force -f", "--autostash --accept-rewrite"],
  ["--background -d", "--detach"],
  ["--watch --follow --tail -w -f", "--follow --watch --wait"],
  ["--no-prompt --non-interactive --noninteractive --batch", "--no-input"],
  ["--debug --trace --log-level", "--verbose"],
  ["--silent -s", "--quiet"],
  ["--agent --llm --engine -M", "--model"],
  ["--expiry --expiration --expires-in --ttl", "--expires"],
  ["--device-code --use-device-code", "--device"],
  ["--no-open --no-launch-browser --skip-browser", "--no-browser"],
  ["--interval --cron --schedule", "--every"],
  ["--interactive --patch", "--park --here"],
];

/** The same where a command of ours does it, or a word in place of a flag: `where` are the commands that were typed. */
const commands: readonly (readonly [where: RegExp, theirs: string, ours: string])[] = [
  [/^api$/u, "--method --request -X", "ferry api METHOD PATH"],
  [/^(?:events|message list|session view)$/u, "--follow --watch --tail -f", "ferry tail"],
  [/^tail$/u, "--follow --watch -w -f", "ferry tail, which follows by itself"],
  [
    /^(?:(?:repo|provider|schedule) delete|key revoke|session close|service (?:stop|reset))$/u,
    "--force --confirm --assume-yes --auto-approve -f",
    "--yes",
  ],
  [/^login$/u, "--web -w", "ferry login, which opens the browser by itself"],
  [/^session /u, "--web --open -w", "ferry session open"],
  [/^(?:run|schedule create)$/u, "--message --prompt --body --text -m -p -b", "the prompt itself, with no flag before it"],
  [/^(?:say|message send)$/u, "--message --prompt --body --text -m -p -b", "the text itself, with no flag before it"],
  [/^(?:key|schedule|repo) create$/u, "--name --title -n", "the name itself, with no flag before it"],
  [/./u, "--no-color --no-colour", "--color never"],
];

/** What does here what the flag does elsewhere; nothing where there is no such thing. `asked` are the words of the command. */
export function sameFlags(flag: string, asked: string, own: readonly string[], everybodys: readonly string[]): readonly string[] {
  const known = (theirs: string): boolean => theirs.split(" ").includes(flag);
  const command = commands.find(([where, theirs]) => where.test(asked) && known(theirs));
  if (command !== undefined) return [command[2]];
  for (const [theirs, ours] of flags) {
    if (!known(theirs)) continue;
    const names = ours.split(" ");
    const here = names.filter((name) => own.includes(name));
    const found = here.length > 0 ? here : names.filter((name) => everybodys.includes(name)).slice(0, 1);
    if (found.length > 0) return found;
  }
  return [];
}

/** What someone wants who gives an argument too many, or one that names nothing, where that is a habit from elsewhere. */
export function wordMeant(asked: string, word: string, { json, quiet }: Partial<GlobalOptions>): readonly string[] {
  if (asked === "login") return hostMeant(word);
  if (quiet === true && word.startsWith(".")) return [`--jq '${word}'`];
  // gh names the fields behind --json.
  const known: readonly string[] = Object.values(fields).flat();
  return json === true && word.split(",").every((name) => known.includes(name)) ? [`--fields ${word}`] : [];
}

/** What was taken for a session or the like that there isn't, and names fields: told so. Whatever else it is, stays as it is. */
export function tellingHabit(error: unknown, command: Command): unknown {
  if (!(error instanceof FerryError) || error.kind !== "not_found") return error;
  const [meant] = wordMeant("", command.args[0] ?? "", command.optsWithGlobals<GlobalOptions>());
  const { kind, message, status, code, details } = error;
  return meant === undefined
    ? error
    : new FerryError(kind, message, { status, code, details, hint: `did you mean ${meant}?`, cause: error });
}

/** Where code lies the service logs in with a token of its own; whoever types that name may mean either. */
function hostMeant(word: string): readonly string[] {
  if (/^(?:www\.)?(?:github|gitlab|bitbucket|gitea|codeberg)(?:\.(?:com|org))?$/iu.test(word))
    return ["ferry provider create (how the service reaches your code)", "--host ADDRESS (the service itself)"];
  return /[.:]|^localhost$/iu.test(word) && !/[@\s]/u.test(word) ? [`--host ${word}`] : [];
}
