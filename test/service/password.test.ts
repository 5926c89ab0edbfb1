import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashPassword, isPassword, noPassword, readPassword } from "../../src/service/keys/password.ts";

const random = (size: number) => randomBytes(size);
const cheap = { ln: 4, r: 8, p: 1 };

test("is hashed by scrypt with the parameters that OWASP names, which stand beside it, and a salt of its own", async () => {
  const stored = await hashPassword("correct horse battery", random);
  expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
  expect(await hashPassword("correct horse battery", random, cheap)).not.toBe(
    await hashPassword("correct horse battery", random, cheap),
  );
  expect([await isPassword("correct horse battery", stored), await isPassword("correct horse batterY", stored)]).toEqual([
    true,
    false,
  ]);
});

test("that was hashed with other parameters is compared with these", async () => {
  const stored = await hashPassword("correct horse battery", random, cheap);
  expect(stored).toContain("$ln=4,r=8,p=1$");
  expect(await isPassword("correct horse battery", stored)).toBe(true);
});

test("of nobody is of the same parameters and sizes, and right for nothing", async () => {
  const stored = noPassword(random);
  expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
  expect(await isPassword("", stored)).toBe(false);
});

test("is the same however a keyboard composes it (RFC 8265, 4.2)", async () => {
  const stored = await hashPassword(readPassword("gr\u00fc\u00dfe aus k\u00f6ln"), random, cheap);
  expect(await isPassword("gru\u0308\u00dfe\u00a0aus ko\u0308ln", stored)).toBe(true);
  // Case, width and blanks at the ends stay what they are.
  for (const other of ["Gr\u00fc\u00dfe aus k\u00f6ln", "\uff47r\u00fc\u00dfe aus k\u00f6ln", "gr\u00fc\u00dfe aus k\u00f6ln "])
    expect(await isPassword(other, stored)).toBe(false);
});

describe("a new one", () => {
  test.each([
    ["", "has 12 characters or more"],
    ["short", "has 12 characters or more"],
    ["\u{1f600}".repeat(11), "has 12 characters or more"],
    ["e\u0301".repeat(11), "has 12 characters or more"],
    ["x".repeat(257), "has at most 256 characters"],
    ["twelve lines\nor more", "is one line, without control characters"],
  ])("can't be %j", (typed, why) => {
    expect(() => readPassword(typed)).toThrow(`a password ${why}`);
  });

  test.each(["x".repeat(12), "x".repeat(256), "\u{1f600}".repeat(12)])("can be %j", (typed) => {
    expect(readPassword(typed)).toBe(typed);
  });
});
