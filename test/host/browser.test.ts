import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeBrowser } from "../../src/host/browser.ts";

const url = "https://agents.example.com/authorize?state=a&scope=b%20c";

const never = new AbortController().signal;

describe.runIf(process.platform === "linux")("the browser", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ferry-browser-"));
    execFileSync("mkfifo", [join(folder, "said")]);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function program(name: string, script: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o700);
    return path;
  }
  /** Opens the address, and gives what the program said of it. */
  async function opened(env: Record<string, string>, interrupt = never): Promise<string> {
    const said = readFile(join(folder, "said"), "utf8");
    await makeBrowser(env, "linux", interrupt).open(url);
    return (await said).trim();
  }
  const tell = (what: string) => `printf '%s\\n' ${what} > ${folder}/said`;

  test.each([
    ["", `1 ${url}`],
    [" --new 'a b'", `3 --new a b ${url}`],
    [" --url=%s $HOME;ls", `2 --url=${url} $HOME;ls`],
  ])("BROWSER is a command: %s; nothing in it or in the address is for a shell", async (rest, said) => {
    const path = program("mine", tell('"$# $*"'));
    expect(await opened({ BROWSER: `${path}${rest}` })).toBe(said);
  });

  test("a key in our environment stays out of the browser's", async () => {
    const path = program("mine", tell('"${FERRY_API_KEY-none}"'));
    expect(await opened({ BROWSER: path, FERRY_API_KEY: "ferry_secret" })).toBe("none");
  });

  test("BROWSER is a list: what isn't there, or fails, is passed over", async () => {
    const [bad, good] = [program("bad", "exit 1"), program("good", tell("good"))];
    expect(await opened({ BROWSER: `/nowhere/it::${bad}:${good}` })).toBe("good");
    await expect(makeBrowser({ BROWSER: `/nowhere/it:${bad}` }, "linux", never).open(url)).rejects.toMatchObject({
      message: `BROWSER: there is no /nowhere/it; ${bad} ended with exit status 1`,
    });
  });

  test("one that goes on running has opened something; it gets neither our screen nor our keys (case 3)", async () => {
    const controller = new AbortController();
    const quiet = '[ -t 0 ] || [ -t 1 ] || [ -t 2 ] && echo terminal || echo "$(wc -c) bytes read"';
    const path = program("lynx", `${tell(`"$(${quiet})"`)}; read _ < ${folder}/said`);
    const said = readFile(join(folder, "said"), "utf8");
    const opening = makeBrowser({ BROWSER: path }, "linux", controller.signal).open(url);
    expect((await said).trim()).toBe("0 bytes read");
    controller.abort();
    await opening;
    await writeFile(join(folder, "said"), "\n");
  });

  test("xdg-open that exits 3 is told, and the address was given as it is (case 3)", async () => {
    program("xdg-open", `${tell('"$# $1"')}; exit 3`);
    const said = readFile(join(folder, "said"), "utf8");
    const opening = makeBrowser({ PATH: `${folder}:/usr/bin:/bin` }, "linux", never).open(url);
    await expect(opening).rejects.toThrow(/^xdg-open ended with exit status 3$/u);
    expect((await said).trim()).toBe(`1 ${url}`);
  });
});

test.each(["file:///etc/passwd", "javascript:alert(1)", "vscode://x"])("%s is never opened", async (address) => {
  await expect(makeBrowser({ BROWSER: "true" }, "linux", never).open(address)).rejects.toMatchObject({ kind: "failure" });
});
