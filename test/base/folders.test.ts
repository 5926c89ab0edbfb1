import { expect, test } from "vitest";
import { findFolders } from "../../src/base/folders.ts";

const home = "/home/ada";

test("without any variable: the platform's own folders", () => {
  expect(findFolders({ env: {}, platform: "linux", home })).toEqual({
    config: "/home/ada/.config/ferry",
    state: "/home/ada/.local/state/ferry",
    data: "/home/ada/.local/share/ferry",
  });
  expect(findFolders({ env: {}, platform: "darwin", home: "/Users/ada" }).data).toBe(
    "/Users/ada/Library/Application Support/ferry",
  );
  expect(findFolders({ env: { LOCALAPPDATA: "C:\\L", APPDATA: "C:\\R" }, platform: "win32", home: "C:\\ada" })).toEqual({
    config: "C:\\R\\ferry",
    state: "C:\\L\\ferry-state",
    data: "C:\\L\\ferry",
  });
});

test("a FERRY_ variable wins over XDG, XDG over the platform; a relative or empty XDG folder is ignored", () => {
  const env = { FERRY_DATA_DIR: "/srv/ferry", XDG_DATA_HOME: "/x/data", XDG_CONFIG_HOME: "/x/config", XDG_STATE_HOME: "state" };
  expect(findFolders({ env, platform: "darwin", home })).toEqual({
    config: "/x/config/ferry",
    state: "/home/ada/.local/state/ferry",
    data: "/srv/ferry",
  });
  expect(findFolders({ env: { XDG_DATA_HOME: "" }, platform: "linux", home }).data).toBe("/home/ada/.local/share/ferry");
});

test("a relative FERRY_ folder is refused by name", () => {
  expect(() => findFolders({ env: { FERRY_STATE_DIR: "state" }, platform: "linux", home })).toThrow(
    expect.objectContaining({ kind: "usage", message: "FERRY_STATE_DIR is not an absolute path: state" }),
  );
});
