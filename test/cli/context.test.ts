import { expect, test } from "vitest";
import { makeContext } from "../../src/cli/context.ts";
import type { GlobalOptions } from "../../src/cli/options.ts";
import { makeWorld } from "../support/world.ts";

test.each(["always", "never"] as const)(
  "colour %s leaves a terminal as wide and as high as it is at each moment",
  async (color) => {
    const world = makeWorld({ tty: true });
    const size = { columns: 40, rows: 10 };
    const sized = Object.defineProperties(
      { ...world.terminal.stdout },
      { columns: { get: () => size.columns }, rows: { get: () => size.rows } },
    );
    const host = { ...world.host, terminal: { ...world.terminal, stdout: sized } };
    const options: GlobalOptions = {
      json: false,
      showSecrets: false,
      quiet: false,
      verbose: false,
      input: true,
      color,
      yes: false,
    };
    const { stdout } = makeContext(host, options).host.terminal;
    expect(stdout).toMatchObject({ columns: 40, rows: 10, isTTY: true, color: color === "always" });
    Object.assign(size, { columns: 20, rows: 5 });
    expect(stdout).toMatchObject({ columns: 20, rows: 5 });
    await world.dispose();
  },
);
