import { cut, oneLine, textOf } from "../../../base/text.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Session } from "../../../wire/resources.ts";
import type { Context } from "../../context.ts";
import { choose } from "../choice.ts";

type Candidate = Tolerant<Session>;

/** The names of repositories by their ids; of sessions that may be of several. */
type Names = ReadonlyMap<string, string>;

/** So much of a title tells it from others. */
const mostOfTitle = 50;
/** In a narrow terminal the others make room for so much of it: a title tells a person more than they do. */
const leastOfTitle = 20;

/** Has a person choose one of them, of which each is a row. */
export function chooseOne({ host }: Context, sessions: readonly Candidate[], names: Names): Promise<Candidate> {
  const columns = columnsWith(names);
  return choose(
    host,
    "Which session?",
    sessions.map((session) => ({ name: columns.map(({ value }) => textOf(value(session))).join(" "), value: session })),
    async (width) => (await import("../../output/table.ts")).tableRows(sessions, columns, width),
  );
}

/** One of several as a detail of an error, its cells between tabs; with its repository, where those of several may stand together. */
export function candidate(session: Candidate, names: Names = new Map()): string {
  const cells = columnsWith(names).map(({ value }) => oneLine(textOf(value(session))) || "–");
  return [...cells.slice(0, -1), cut(cells.at(-1) ?? "", mostOfTitle)].join("\t");
}

function columnsWith(names: Names) {
  const repository = { spare: 2, value: ({ repository_id }: Candidate) => names.get(textOf(repository_id)) };
  return [
    { id: true, value: ({ id }: Candidate) => id },
    ...(names.size === 0 ? [] : [repository]),
    { spare: 3, value: ({ branch_name }: Candidate) => branch_name },
    { spare: 1, value: ({ status }: Candidate) => status },
    { least: leastOfTitle, value: ({ title }: Candidate) => title },
  ] as const;
}
