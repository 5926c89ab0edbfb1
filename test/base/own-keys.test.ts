import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { withoutOwnKeys } from "../../src/base/own-keys.ts";

test("what looks like a key of ferry's own is cut, in whole or as far as something else left it", () => {
  for (let times = 0; times < 50; times++) {
    const key = `ferry_${randomBytes(32).toString("base64url")}`;
    if (!/[A-Z]/u.test(key)) continue;
    expect(withoutOwnKeys(`there is no ${key}`)).toBe("there is no ferry_…");
  }
  expect(withoutOwnKeys("ferry_LAPy93kdUw7fjsUgVdm20dkQUVg/0 is not defined")).toBe("ferry_…/0 is not defined");
});

test.each(["ferry_config_directory_of_team", "ferry_import_of_old_customer_data.py", "ferry_Import_Of_Old_Customer_Data"])(
  "%s is a name",
  (name) => {
    expect(withoutOwnKeys(`no ${name}`)).toBe(`no ${name}`);
  },
);
