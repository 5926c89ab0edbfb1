import { type Credentials, makeCredentials } from "../../../auth/credentials.ts";
import { findFolders } from "../../../base/folders.ts";
import type { Context } from "../../context.ts";

/** Where this user's keys are. */
export function credentialsOf({ host, print }: Pick<Context, "host" | "print">): Credentials {
  return makeCredentials(host, findFolders(host).config, (line) => print.warn(line));
}
