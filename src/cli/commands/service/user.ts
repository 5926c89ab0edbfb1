import { Argument } from "commander";
import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { addUser, changePassword, listUsers, removeUser, requireData, type ServiceUser } from "../../flows/local/users.ts";
import { showList } from "../../output/show.ts";
import { aboutData, addData } from "./options.ts";
import type { Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";

const actions = ["add", "list", "password", "remove"] as const;
type Action = (typeof actions)[number];
/** As of the verbs of other nouns. */
const aliases = new Map([
  ["ls", "list"],
  ["rm", "remove"],
]);

const names = ["id", "name", "created_at"] as const;
const columns: readonly Column<ServiceUser>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "ADDED", value: ({ created_at }) => `${created_at.slice(0, 10)} ${created_at.slice(11, 16)} UTC` },
];

interface Options {
  readonly passwordStdin: boolean;
  readonly data?: string;
}

export const user: Verb = {
  name: "user",
  summary: "Say who else may use the embedded service, each with a password",
  description:
    "Say who else may use the embedded service, where `ferry serve` lets others reach it (--tls-cert, --behind-proxy). A user signs in to its portal with a name and a password, and `ferry login` gives them keys of their own. All of them work in the one workspace, and may do the same in it. `remove` revokes a user's keys and signs their browsers out; their sessions stay. It works whether or not the service runs.",
  answer: names,
  examples: [
    "ferry service user add ada",
    "ferry service user add ada --password-stdin < password.txt",
    "ferry service user list",
    "ferry service user password ada",
    "ferry service user remove ada",
  ],
  define(command) {
    command
      .addArgument(action())
      .argument("[name]", "the user's name")
      .option("--password-stdin", "read the password from stdin", false);
    addData(command);
  },
  async run(given, options: Options, action: Action, name: string | undefined) {
    await aboutData(given, options.data, async (context) => {
      if (options.data !== undefined) await requireData(context);
      if (action === "list" && name !== undefined)
        throw new FerryError("usage", "list takes no name", { hint: "all of them: ferry service user list" });
      if (action === "list") return show(context);
      if (name === undefined)
        throw new FerryError("usage", "missing the user's name", { hint: `ferry service user ${action} NAME` });
      await act(context, action, name, options.passwordStdin);
    });
  },
};

function action(): Argument {
  const argument = new Argument("<action>", "what to do").choices(actions);
  const oneOf = argument.parseArg;
  return argument.argParser<unknown>((value, previous) => oneOf?.(aliases.get(value) ?? value, previous));
}

async function act(context: Context, action: Exclude<Action, "list">, name: string, fromStdin: boolean): Promise<void> {
  const done = await changes[action](context, name, fromStdin);
  if (context.global.json) await context.print.json(done);
  await context.print.note(`${name} ${outcomes[action]}`);
}

const changes = { add: addUser, password: changePassword, remove: removeUser };
const outcomes = {
  add: "can sign in, where the service is served with --tls-cert or --behind-proxy",
  password: "has another password; their browsers are signed out, and their keys go on working",
  remove: "is no user any more; their keys are revoked",
};

async function show(context: Context): Promise<void> {
  await showList(context, { items: await listUsers(context), more: false }, columns, { known: names, many: "users" });
}
