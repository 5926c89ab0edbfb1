import type { Came } from "../context.ts";
import { RefsMoved } from "../land/transaction.ts";

/** The commit that doesn't fit came after all: the rest is brought as by another pull. */
export class CameAfterAll extends RefsMoved {
  readonly came: Came;

  constructor(came: Came) {
    super("attention", "the commit came after all");
    this.came = came;
  }
}
