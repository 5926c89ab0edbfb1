import { FerryError } from "../../base/errors.ts";
import type { Answer } from "../../client/answers.ts";
import type { Client, StreamInput } from "../../client/calls.ts";
import { cursorOf } from "../../client/cursor.ts";
import type { PatchSource } from "../../patch/source.ts";
import type { Manifest, ManifestItem, Uncommitted } from "../../wire/patches.ts";

/**
 * A session's series as its service sends it. `repositoryId` names the one of several that the session works on.
 * @throws from its parts: FerryError failure where the service's manifest is none
 */
export function makePatchSource(client: Client, sessionId: string, repositoryId?: string): PatchSource {
  const params = { sessionId };
  const query = repositoryId === undefined ? {} : { repository_id: repositoryId };
  return {
    async manifest(after) {
      const first = parseManifest(await client.readPatches({ params, query: { ...query, ...from(after) } }));
      const items = [...first.items];
      // Further pages are of the same range, whatever the agent commits in the meantime.
      const until = first.head_commit;
      const seen = new Set<string>();
      for (let cursor = first.next_cursor; cursor !== "";) {
        if (seen.has(cursor)) throw broken("its pages go in a circle");
        seen.add(cursor);
        const page = parseManifest(await client.readPatches({ params, query: { ...query, ...from(after), until, cursor } }));
        if (page.head_commit !== until) throw broken("its pages are of different series");
        for (const item of page.items) items.push(item);
        cursor = page.next_cursor;
      }
      return { ...first, items, next_cursor: "" };
    },
    mbox: (after, until) => bytes(client, { params, query: { ...query, ...from(after), until }, accept: "application/mbox" }),
    bundle: (after, until) =>
      bytes(client, { params, query: { ...query, ...from(after), until }, accept: "application/x-git-bundle" }),
  };
}

/** What isn't committed in a session's sandbox, every field in place. @throws FerryError failure where the answer is none */
export async function readUncommitted(client: Client, sessionId: string): Promise<Uncommitted> {
  const answer = await client.readUncommitted({ params: { sessionId } });
  const as_of = typeof answer.as_of === "string" ? answer.as_of : "";
  return { ...texts(answer, ["base_commit", "tree", "patch"]), as_of };
}

/** The base is where a series starts of itself. */
function from(after: string): { after?: string } {
  return after === "" ? {} : { after };
}

async function* bytes(client: Client, input: StreamInput<"readPatches">): AsyncGenerator<Uint8Array> {
  const response = await client.stream("readPatches", input, async (answer) => answer);
  try {
    const type = response.headers["content-type"] ?? "";
    if (!type.startsWith(input.accept)) throw broken(`asked for ${input.accept}, it sent ${type || "no type"}`);
    yield* response.body;
  } finally {
    await response.cancel();
  }
}

/** The manifest with every field in place; whether they tell the truth is the patch engine's to check. */
function parseManifest(page: Answer<"readPatches">): Manifest {
  const { items, mailable } = page;
  if (!Array.isArray(items)) throw broken("it has no items");
  if (typeof mailable !== "boolean") throw broken("mailable is missing");
  return {
    ...texts(page, ["repository_id", "object_format", "base_commit", "head_commit"]),
    mailable,
    reason: page.reason ?? "",
    ...(typeof page.left_behind === "string" && page.left_behind !== "" ? { left_behind: page.left_behind } : {}),
    items: items.map(parseItem),
    next_cursor: cursorOf(page) ?? "",
  };
}

function parseItem(item: object): ManifestItem {
  return {
    ...texts(item, ["commit", "tree", "raw", "subject", "sha256"]),
    ...numbers(item, ["sequence", "bytes", "diff_offset"]),
    ...lists(item, ["parents", "changes"]),
  };
}

function texts<Name extends string>(object: object, names: readonly Name[]): Record<Name, string> {
  return fields(object, names, (value) => typeof value === "string");
}

function numbers<Name extends string>(object: object, names: readonly Name[]): Record<Name, number> {
  return fields(object, names, (value) => Number.isSafeInteger(value));
}

function lists<Name extends string>(object: object, names: readonly Name[]): Record<Name, string[]> {
  return fields(object, names, (value) => Array.isArray(value) && value.every((entry) => typeof entry === "string"));
}

function fields<Name extends string, T>(
  object: object,
  names: readonly Name[],
  fits: (value: unknown) => boolean,
): Record<Name, T> {
  const given = object as Readonly<Record<string, unknown>>;
  for (const name of names) if (!fits(given[name])) throw broken(`${name} is missing or of another kind`);
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Record<Name, T>;
}

function broken(what: string): FerryError {
  return new FerryError("failure", `the service's manifest of the commits is broken: ${what}`, {
    code: "broken_manifest",
  });
}
