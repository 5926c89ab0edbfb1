import { oneLine, textOf, textsOf } from "../../../../base/text.ts";
import { isObject } from "../../../../client/answers.ts";
import type { Tolerant } from "../../../../client/tolerant.ts";
import type { Host } from "../../../../host/host.ts";
import type { AnswerOf } from "../../../../wire/contract.ts";
import { record } from "../../../output/record.ts";
import { table, type Column } from "../../../output/table.ts";
import { type Canvas, makeCanvas } from "../../../output/timeline/canvas.ts";
import { inAscii, wrap } from "../../../output/timeline/spans.ts";
import { when } from "../../../output/when.ts";
import { drawBars } from "./bars.ts";

export type KnownAnalysis = Tolerant<AnswerOf<"readAnalysis">>;
type Metadata = NonNullable<KnownAnalysis["metadata"]>;
type Component = NonNullable<KnownAnalysis["components"]>[number];

/**
 * The analysis as text. On a terminal: languages as bars, what else there is, and each component with its summary; in a pipe the
 * same names and values, and a line of tab-separated cells for each component.
 */
export async function describeAnalysis({ metadata, components }: KnownAnalysis, host: Host): Promise<string> {
  const { stdout, unicode } = host.terminal;
  const about = isObject(metadata) ? metadata : { id: "" };
  const parts = (Array.isArray(components) ? components : []).filter(isObject);
  const known = await record(lines(about, host), stdout);
  if (!stdout.isTTY) return [known, await table(parts, columns, stdout)].filter(Boolean).join("\n");
  const canvas = makeCanvas(stdout, unicode);
  const sections = [known, languages(about, parts, canvas), parts.map((part) => describeComponent(part, canvas)).join("\n")];
  const text = sections.filter(Boolean).join("\n");
  return canvas.ascii ? text.split("\n").map(inAscii).join("\n") : text;
}

function lines(about: Metadata, { clock, terminal }: Host): [string, string | undefined][] {
  const both = (main: unknown, others: unknown): string => [...new Set([...textsOf(main), ...textsOf(others)])].join(", ");
  return [
    ["languages", both(about.primary_languages, about.languages)],
    ["frameworks", both(about.primary_frameworks, about.frameworks)],
    ["libraries", both(about.primary_libraries, about.libraries)],
    ["databases", both(about.primary_databases, about.databases)],
    ["commit", textOf(about.analyzed_commit_sha).slice(0, 12)],
    ["analyzed", when(about.updated_at ?? about.created_at, terminal.stdout.isTTY, clock.now())],
  ];
}

/** The interface tells no shares, so a bar is as long as the components are many that use the language. */
function languages({ primary_languages, languages: all }: Metadata, parts: readonly Component[], canvas: Canvas): string {
  const names = [...new Set([...textsOf(primary_languages), ...textsOf(all)])];
  const bars = names.map((name) => ({ name, count: parts.filter((part) => languagesOf(part).has(name)).length }));
  if (bars.every(({ count }) => count === 0)) return "";
  return `${canvas.style.bold("Components by language")}\n${drawBars(bars, parts.length, canvas)}`;
}

function languagesOf({ primary_language, languages: all }: Component): ReadonlySet<string> {
  return new Set([...textsOf(primary_language), ...textsOf(all)]);
}

function describeComponent(part: Component, { style, columns: width }: Canvas): string {
  const { primary_language, primary_framework, primary_library, primary_database } = part;
  const made = [primary_language, primary_framework, primary_library, primary_database].map((name) => oneLine(textOf(name)));
  const head = [
    { text: oneLine(textOf(part.path) || textOf(part.id)) || ".", paint: style.bold },
    { text: `  ${made.filter(Boolean).join(", ")}`, paint: style.dim },
  ];
  const summary = oneLine(textOf(part.summary));
  const below = summary === "" ? [] : wrap([{ text: summary }], width === undefined ? undefined : width - 2);
  return [...wrap(head, width), ...below.map((line) => `  ${line}`), ""].join("\n");
}

const columns: readonly Column<Component>[] = [
  { header: "PATH", value: ({ path, id }) => path ?? id },
  { header: "LANGUAGE", value: ({ primary_language }) => primary_language },
  { header: "FRAMEWORK", value: ({ primary_framework }) => primary_framework },
  { header: "LIBRARY", value: ({ primary_library }) => primary_library },
  { header: "DATABASE", value: ({ primary_database }) => primary_database },
  { header: "SUMMARY", value: ({ summary }) => summary },
];
