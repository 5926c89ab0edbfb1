import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemBrowser } from "../../src/host/browser.ts";

const url = "https://agents.example.com/authorize?state=a&scope=b%20c";

// xdg-open(1) goes by BROWSER where it knows no desktop.
describe.runIf(process.platform === "linux")("xdg-open that is there", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ferry-browser-"));
    execFileSync("mkfifo", [join(folder, "said")]);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** What a browser that does this was given, and said of its surroundings. */
  async function opened(script: string): Promise<string> {
    const browser = join(folder, "browser");
    writeFileSync(browser, `#!/bin/sh\n${script}\n`);
    chmodSync(browser, 0o700);
    vi.stubEnv("BROWSER", browser);
    for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION"]) vi.stubEnv(name, "");
    const said = readFile(join(folder, "said"), "utf8");
    await systemBrowser.open(url);
    return said;
  }

  test("and exits 3: nothing crashes, and the address was given as it is (case 3)", async () => {
    expect(await opened(`echo "$1" > ${folder}/said; exit 3`)).toContain(`${url}\n`);
  });

  test("and opens a browser for terminals, such as lynx: it gets neither our screen nor our keys (case 3)", async () => {
    const script = `[ -t 0 ] || [ -t 1 ] || [ -t 2 ] && echo terminal > ${folder}/said; echo "$(wc -c) bytes read" > ${folder}/said`;
    expect((await opened(script)).trim()).toBe("0 bytes read");
  });
});

test.each(["file:///etc/passwd", "javascript:alert(1)", "vscode://x"])("%s is never opened", async (address) => {
  await expect(systemBrowser.open(address)).rejects.toMatchObject({ kind: "failure" });
});
