import type { KeyRecord, UserRecord } from "../store/store.ts";

/** Whose keys a user sees and ends: the owner of the service answers for all of them (undefined), anyone else for their own. */
export function whoseKeys({ id }: Pick<UserRecord, "id">, owner: string | undefined): string | undefined {
  return owner === undefined || id === owner ? undefined : id;
}

/** Whether one is among those. */
export function isAmong(whose: string | undefined, key: Pick<KeyRecord, "user_id">): boolean {
  return whose === undefined || key.user_id === whose;
}
