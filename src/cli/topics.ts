import { type ErrorKind, exitCodes } from "../base/errors.ts";
import { settingRows } from "./config/settings.ts";
import { layOutRow, type Row } from "./help/layout.ts";

/** What help tells beside the commands: `ferry help NAME`. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

const kinds: Readonly<Record<ErrorKind, string>> = {
  failure: "it failed: the agent did, a patch is not what it says, or the service refused what was asked",
  usage: "wrong flags or arguments, or the service can't make sense of the request",
  attention: "a person is needed: local work in the way, a conflict, an agent that asks",
  auth: "not logged in, the keychain is locked, the key was refused or may not do this",
  not_found: "no such thing, or no session matches",
  unavailable: "the service can't be reached, or has too much to do",
  pending: "a --timeout ran out while the agent was still working",
  interrupted: "Ctrl-C, or a question was answered with no",
  terminated: "a SIGTERM",
};

/** The one table of exit codes in words; each help, the manual and README tell it. */
export const exitCodeRows: readonly Row[] = [
  ["0", "done; also when there was nothing to do"],
  ...Object.entries(kinds).map(([kind, when]): [string, string] => [String(exitCodes[kind as ErrorKind]), when]),
];

export const topics: readonly Topic[] = [
  {
    name: "environment",
    title: "Variables of the environment",
    rows: [
      ["FERRY_HOST", "the service, as --host"],
      [
        "FERRY_API_KEY",
        "the key for it, in place of a login; sent only to the host that FERRY_HOST names, or --host where that is not set; never to local, whose commands have its owner's key (all:all)",
      ],
      ["FERRY_SESSION", "the session of commands that name none"],
      ["FERRY_NO_INPUT", "ask nothing, as --no-input"],
      ["FERRY_DEBUG", "trace requests and errors, as --verbose"],
      ["FERRY_CREDENTIAL_STORE", "keychain or file: where login keeps keys"],
      ["FERRY_AGENT", "the agent of sessions on host local, AGENT or AGENT:MODEL"],
      ["FERRY_AGENT_PERMISSIONS", "allow or ask: whether the embedded service's agents ask what they may do in their sandbox"],
      ["FERRY_SANDBOX", "auto, bwrap, unshare or oci: what locks the embedded service's agents in"],
      ["FERRY_SANDBOX_ENGINE", "the container engine of sandbox oci, a command line (default: podman, else docker)"],
      ["FERRY_SANDBOX_IMAGE", "the image of sandbox oci, which must be there already"],
      ["FERRY_SANDBOX_OPTIONS", "more options of the engine's run for sandbox oci"],
      ["FERRY_CONFIG_DIR", "the folder of the config file (default: $XDG_CONFIG_HOME/ferry)"],
      ["FERRY_STATE_DIR", "the folder of what can be lost (default: $XDG_STATE_HOME/ferry)"],
      ["FERRY_DATA_DIR", "the folder of the embedded service (default: $XDG_DATA_HOME/ferry)"],
      ["PAGER", "what events, diff, patch and repo analysis are read in (default: less; cat or nothing for none)"],
      ["VISUAL, EDITOR", "what a prompt is written in"],
      ["BROWSER", "commands that open pages, the first that works (%s is the address); none for no browser"],
      ["NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether there is colour, where --color doesn't say"],
      ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy, in small letters, too"],
      ["NODE_EXTRA_CA_CERTS", "a file of further certificate authorities"],
      ["CI", "ask nothing, open no browser and no pager"],
    ],
  },
  {
    name: "settings",
    title: "Keys of ferry config, and of git's",
    rows: [
      ...settingRows(),
      [
        "git config ferry.host",
        "the service of this repository's commands, where neither --host, FERRY_HOST nor the branch's link names one",
      ],
      ["git config ferry.hookStrict", "true: a hook's pull that fails fails the hook (default: false)"],
      [
        "git config branch.NAME.ferrySession",
        "the session that the branch is linked to; written by run, session start and session link",
      ],
      ["git config branch.NAME.ferryHost", "the service that it is at"],
    ],
  },
  {
    name: "exit-codes",
    title: "Exit codes",
    rows: exitCodeRows,
  },
];

/** The topic as text for a terminal of `width` columns; undefined where there is none of that name. */
export function describeTopic(name: string, width: number): string | undefined {
  const topic = topics.find((known) => known.name === name);
  if (topic === undefined) return undefined;
  const termWidth = Math.max(...topic.rows.map(([term]) => (term.length > 24 ? 0 : term.length)));
  return [`${topic.title}:`, ...topic.rows.flatMap((row) => layOutRow(row, termWidth, width)), ""].join("\n");
}
