import type { Environment } from "./host.ts";

/** What programs that ferry starts get of its environment: none of them has a use for the key. Windows takes names in either case. */
export function withoutKey<E extends Environment>(env: E): E {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^FERRY_API_KEY$/iu.test(name))) as E;
}
