import { scopedResources, type Scope } from "../../wire/values.ts";

/** Whether someone with the scopes `held` may give these away: a key never has more than its maker. */
export function covers(held: readonly Scope[], given: readonly Scope[]): boolean {
  const rights = new Set(held.flatMap(rightsOf));
  return given.flatMap(rightsOf).every((right) => rights.has(right));
}

/** A scope taken apart: what it is about, the whole workspace being one thing more, and what may be done with it. */
function rightsOf(scope: Scope): string[] {
  const [resource = "", access = ""] = scope.split(":");
  const resources = resource === "all" ? [...scopedResources, "all"] : [resource];
  const accesses = access === "all" ? ["read", "write"] : [access];
  return resources.flatMap((one) => accesses.map((other) => `${one}:${other}`));
}
