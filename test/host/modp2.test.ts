import { type DiffieHellmanGroup, getDiffieHellman } from "node:crypto";
import { expect, test } from "vitest";
import { makePair } from "../../src/host/keychain/modp2.ts";

/** It takes long to make, and makes as many pairs as are wanted. */
const other: DiffieHellmanGroup = getDiffieHellman("modp2");

test("both sides have the same secret as Node's own exchange, also where its numbers begin with zeros", () => {
  const lengths = new Set<number>();
  // A number, or a secret, begins with a zero in one of 256.
  for (let pair = 0; pair < 1500; pair++) {
    const mine = makePair();
    const theirs = other.generateKeys();
    lengths.add(mine.publicNumber.length).add(theirs.length);
    expect(mine.secretWith(theirs).equals(other.computeSecret(mine.publicNumber))).toBe(true);
    if (pair % 100 === 0)
      expect(mine.secretWith(Buffer.concat([Buffer.alloc(1), theirs])).equals(mine.secretWith(theirs))).toBe(true);
  }
  expect(lengths.size).toBeGreaterThan(1);
}, 60_000);

test.each([
  ["nothing", Buffer.alloc(0)],
  ["zero", Buffer.alloc(128)],
  ["one", Buffer.of(1)],
  ["the group's number", other.getPrime()],
  ["more than that", Buffer.alloc(128, 0xff)],
  ["what is far too long", Buffer.alloc(300, 0x7f)],
])("%s is no number of the group", (_, number) => {
  expect(() => makePair().secretWith(number)).toThrow();
});
