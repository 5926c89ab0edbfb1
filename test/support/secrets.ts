import { FerryError } from "../../src/base/errors.ts";
import type { SecretStore } from "../../src/host/host.ts";

/** A keychain in memory, that can be as unwilling as a real one. */
export interface MemoryKeychain extends SecretStore {
  /** What every call answers with instead, until it is undefined again. */
  trouble: "unavailable" | "locked" | "timeout" | undefined;
  /** Takes secrets and forgets them. */
  forgetful: boolean;
  readonly items: ReadonlyMap<string, string>;
  /** How often it was asked for anything. */
  asked: number;
}

export function makeMemoryKeychain(): MemoryKeychain {
  const items = new Map<string, string>();
  const keyOf = (service: string, account: string): string => `${service}\0${account}`;
  const found = (service: string) =>
    [...items].flatMap(([key, password]) => {
      const [of, account = ""] = key.split("\0");
      return of === service ? [{ account, password }] : [];
    });
  const check = (): void => {
    keychain.asked += 1;
    if (keychain.trouble !== undefined)
      throw new FerryError("auth", `the keychain is ${keychain.trouble}`, { code: keychain.trouble });
  };
  const keychain: MemoryKeychain = {
    trouble: undefined,
    forgetful: false,
    items,
    asked: 0,
    async getPassword(service, account) {
      check();
      return items.get(keyOf(service, account)) ?? null;
    },
    async setPassword(service, account, password) {
      check();
      if (!keychain.forgetful) items.set(keyOf(service, account), password);
    },
    async deletePassword(service, account) {
      check();
      return items.delete(keyOf(service, account));
    },
    async findPassword(service) {
      check();
      return found(service)[0]?.password ?? null;
    },
    async findCredentials(service) {
      check();
      return found(service);
    },
  };
  return keychain;
}
