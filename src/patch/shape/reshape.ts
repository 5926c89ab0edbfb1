import { showPath } from "../../git/path.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { authorIdent, committerIdent, unsignedNotices } from "../place/identity.ts";
import { listed } from "../place/listed.ts";
import type { Quarantine } from "../quarantine.ts";
import { type Series, type SeriesItem, short } from "../series/series.ts";
import { writeChain } from "./chain.ts";
import { type Filtered, withoutPaths } from "./exclude.ts";
import { fitting } from "./encoding.ts";
import { edited, messageOf } from "./raw.ts";
import type { Shape } from "./shape.ts";
import { asInSandbox, type Shaped } from "./shaped.ts";
import { withTrailers } from "./trailers.ts";

/**
 * Makes of a series, built in the quarantine, what the user wants it to be: commits of their own, on what the sandbox's follow. One
 * in which nothing changes stays as it is, id and all. Whatever becomes of the series then is as with the sandbox's.
 * @throws FerryError attention where git doesn't know who the user is, what is to be added can't go into a commit of another encoding, or paths
 * can't be left out
 */
export async function reshape({ series }: Incoming, quarantine: Quarantine, context: PullContext): Promise<Shaped> {
  const { shape } = context.request;
  if (shape === undefined) return asInSandbox(series);
  const { items } = series;
  const { exclude = [] } = shape;
  const filtered = exclude.length === 0 ? undefined : await withoutPaths(series, exclude, { quarantine, context });
  const idle = exclude.length > 0 && filtered === undefined ? ["--exclude names nothing that these commits change"] : [];
  const texts = await rewritten(items, { shape, quarantine, context });
  if (filtered === undefined && texts.every((raw, at) => raw === items[at]?.raw))
    return { ...asInSandbox(series), notices: idle };
  const committer = await committerIdent(context);
  const links = items.map((item, at) => ({ item, raw: texts[at] ?? item.raw, tree: item.tree, ...filtered?.commits[at] }));
  const chain = await writeChain(links, { committer, quarantine }, context);
  const notices = [...(filtered === undefined ? idle : leftOut(filtered, series)), ...(await unsignedNotices(context))];
  const exactness = filtered === undefined ? "rebuilt" : "approximate";
  return { items: chain, tip: chain.at(-1)?.commit ?? series.tip, exactness, notices };
}

/** What a person should know of it: the cursor is the sandbox's commit, behind which these paths lie. */
function leftOut({ left, commits }: Filtered, { items }: Series): string[] {
  const names = listed(left.map(showPath));
  const [is, them] = left.length === 1 ? ["is", "it"] : ["are", "them"];
  const empty = items
    .filter((_, at) => commits[at]?.isDropped === true)
    .map(({ commit, subject }) => `${short(commit)} (${subject})`);
  return [
    `approximate: ${names} ${is} left out; later changes of ${them} will conflict: give --exclude again`,
    ...(empty.length === 0 ? [] : [`nothing else is in ${empty.length === 1 ? "commit" : "commits"} ${listed(empty)}`]),
  ];
}

interface Place {
  readonly shape: Shape;
  readonly quarantine: Quarantine;
  readonly context: PullContext;
}

/** Each commit's content with the author and the message that it is to have; tree and parents are still the sandbox's. */
async function rewritten(items: readonly SeriesItem[], { shape, quarantine, context }: Place): Promise<readonly Buffer[]> {
  const { signoff = false, trailers = [], resetAuthor = false } = shape;
  const author = resetAuthor ? await authorIdent(context) : undefined;
  const signer = signoff ? nameOf(await committerIdent(context)) : undefined;
  const added = [author && nameOf(author), signer, trailers.map(utf8).join("")];
  const raws = items.map(({ raw }) => fitting(raw, added));
  const messages =
    signer === undefined && trailers.length === 0
      ? undefined
      : await withTrailers(raws.map(messageOf), { signer, trailers }, quarantine, context);
  return raws.map((raw, at) => {
    const now = edited(raw, { author, message: messages?.[at] });
    // Where nothing is added to it, it needn't be in another encoding, either.
    return now === raw ? (items[at]?.raw ?? raw) : now;
  });
}

/** Without the time. */
function nameOf(ident: string): string {
  return ident.slice(0, ident.lastIndexOf(">") + 1);
}

function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
