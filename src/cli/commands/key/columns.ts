import { textOf, textsOf } from "../../../base/text.ts";
import { parseTime } from "../../../base/time.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { ApiKey } from "../../../wire/resources.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export type KnownKey = Tolerant<ApiKey>;

/** `now` in epoch ms. Whose each is, where they are of several. */
export function keyColumns(now: number, keys: readonly KnownKey[]): readonly Column<KnownKey>[] {
  const isShared = new Set(keys.map(({ user_id }) => user_id)).size > 1;
  return [
    { header: "ID", id: true, value: ({ id }) => id },
    { header: "NAME", value: ({ name }) => name },
    { header: "SCOPES", spare: 1, value: ({ scopes }) => scopes && textsOf(scopes).join(",") },
    { header: "STATE", value: (key) => stateOf(key, now) },
    { header: "CREATED", spare: 2, value: ({ created_at }, terminal) => when(created_at, terminal, now) },
    // Last: scripts count the columns of a pipe.
    ...(isShared ? [{ header: "USER", value: ({ user_name, user_id }: KnownKey) => textOf(user_name) || textOf(user_id) }] : []),
  ];
}

/** Whatever says when it was revoked says that it was: a service may send a number. */
export function isRevoked({ revoked_at }: KnownKey): boolean {
  return Boolean(revoked_at);
}

/** Of what is no time it isn't known whether that has come: it is told as it is. */
function stateOf(key: KnownKey, now: number): string {
  if (isRevoked(key)) return "revoked";
  const end = textOf(key.expires_at);
  if (end === "") return "works";
  const time = parseTime(end);
  if (typeof key.expires_at !== "string" || Number.isNaN(time)) return `expires: ${end}`;
  return time <= now ? "expired" : `works until ${end.slice(0, 10)}`;
}
