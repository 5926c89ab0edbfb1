import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../src/service/store/schema.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";

/** A database that stores are opened over. */
export interface Engine {
  /** Opens the same database again each time within a test. */
  open(): Promise<Database>;
  clear(): Promise<void>;
}

/** The store's contract suite runs over each of them. */
export const engines: Record<string, () => Promise<Engine>> = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), "ferry-store-"));
    return {
      open: () => Promise.resolve(openSqlite(join(folder, "ferry.db"))),
      clear: () => rm(folder, { recursive: true }),
    };
  },
};
