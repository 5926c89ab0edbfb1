import { isAbsolute } from "node:path";
import { FerryError } from "../base/errors.ts";

/** As node:os has them. */
interface HomeSource {
  readonly homedir: () => string;
  readonly userInfo: () => { readonly homedir: string };
}

/**
 * The user's home folder, an absolute path: HOME (USERPROFILE on Windows), else what the system has for this user. An empty or a
 * relative HOME would be another folder in each directory, and a repository's own where ferry runs in one.
 * @throws FerryError usage where there is none
 */
export function findHome({ homedir, userInfo }: HomeSource): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const home = look();
      if (isAbsolute(home)) return home;
    } catch {
      // The system knows no such user.
    }
  }
  throw new FerryError("usage", "this user has no home folder", { hint: "set HOME to an absolute path" });
}
