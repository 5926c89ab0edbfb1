import { textsOf } from "../../../base/text.ts";
import { parseTime } from "../../../base/time.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { ApiKey } from "../../../wire/resources.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";

export type KnownKey = Tolerant<ApiKey>;

/** `now` in epoch ms. */
export function keyColumns(now: number): readonly Column<KnownKey>[] {
  return [
    { header: "ID", id: true, value: ({ id }) => id },
    { header: "NAME", value: ({ name }) => name },
    { header: "SCOPES", spare: 1, value: ({ scopes }) => scopes && textsOf(scopes).join(",") },
    { header: "STATE", value: (key) => stateOf(key, now) },
    { header: "CREATED", spare: 2, value: ({ created_at }, terminal) => when(created_at, terminal, now) },
  ];
}

function stateOf({ revoked_at, expires_at }: KnownKey, now: number): string {
  if (typeof revoked_at === "string") return "revoked";
  if (typeof expires_at !== "string") return "works";
  return parseTime(expires_at) <= now ? "expired" : `works until ${expires_at.slice(0, 10)}`;
}
