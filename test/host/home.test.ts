import { homedir } from "node:os";
import { expect, test } from "vitest";
import { findFolders } from "../../src/base/folders.ts";
import { findHome } from "../../src/host/home.ts";

const userInfo = (home: string) => () => ({ homedir: home });
const unknown = (): never => {
  throw new Error("uv_os_homedir returned ENOENT");
};

test.each(["", ".", "rel/home", "~"])("HOME=%j is no home: a repository would be one", (home) => {
  expect(findHome({ homedir: () => home, userInfo: userInfo("/home/ada") })).toBe("/home/ada");
});

test("an absolute one is, whatever the system has", () => {
  expect(findHome({ homedir: () => "/elsewhere", userInfo: unknown })).toBe("/elsewhere");
  expect(findHome({ homedir, userInfo: unknown })).toBe(homedir());
});

test("a user without any is told to set it, and needs none where all folders are chosen", () => {
  const source = {
    env: { FERRY_CONFIG_DIR: "/c", FERRY_STATE_DIR: "/s", FERRY_DATA_DIR: "/d" },
    platform: "linux",
    get home() {
      return findHome({ homedir: unknown, userInfo: unknown });
    },
  };
  expect(findFolders(source)).toEqual({ config: "/c", state: "/s", data: "/d" });
  expect(() =>
    findFolders({
      ...source,
      env: {},
      get home() {
        return source.home;
      },
    }),
  ).toThrow("this user has no home folder");
});
