import { expect, test } from "vitest";
import { shortcomings } from "../../../../src/service/sandbox/namespaces/probe.ts";
import { makeFolder } from "../../../support/git.ts";
import { machine } from "../../../support/sandbox.ts";

test.runIf(process.platform === "linux")(
  "without control groups the limit of memory is told to miss what nobody maps",
  async () => {
    const none = makeFolder();
    const { unenforced, weak } = await shortcomings(machine, none.path);
    none.remove();
    expect(unenforced).toEqual(["cpu"]);
    expect(weak).toEqual([expect.stringContaining("not for files in memory (memfd), shared memory and sockets")]);
  },
);
