import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { preferredMedium } from "../../src/service/http/accept.ts";
import { mintApiKey } from "../../src/service/keys/api-key.ts";
import { hashSecret } from "../../src/service/keys/secret.ts";
import { makeSealer } from "../../src/service/keys/seal.ts";
import { makeLog } from "../../src/service/log.ts";
import { makeTestClock } from "../support/clock.ts";

describe("the preferred medium", () => {
  const offered = ["application/json", "text/event-stream"] as const;

  test.each([
    [null, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["Text/Event-Stream", "text/event-stream"],
    ["text/*", "text/event-stream"],
    ["text/event-stream, application/json", "text/event-stream"],
    ["application/json, text/event-stream", "application/json"],
    ["text/event-stream;q=0.9, application/json", "application/json"],
    ["text/event-stream;q=0.9, */*;q=0.1", "text/event-stream"],
    ["*/*, text/event-stream;q=0", "application/json"],
    ["application/json;q=0, */*", "text/event-stream"],
    ["image/png", "application/json"],
  ])("of Accept: %s is %s", (accept, medium) => {
    expect(preferredMedium(accept, offered)).toBe(medium);
  });

  test("is one of those offered, whatever the client sends", () => {
    fc.assert(fc.property(fc.string(), (accept) => offered.includes(preferredMedium(accept, offered))));
    const token = fc.constantFrom("*/*", "text/*", "text/event-stream", "application/json", ";q=0", ";q=1", ";q=x", ",", ";");
    fc.assert(fc.property(fc.array(token), (tokens) => offered.includes(preferredMedium(tokens.join(""), offered))));
  });
});

describe("a sealed secret", () => {
  const random = (size: number) => randomBytes(size);
  const sealer = makeSealer(random(32), random);

  test("opens as what it was, for its owner", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (secret, owner) => {
        expect(sealer.open(sealer.seal(secret, owner), owner)).toBe(secret);
      }),
    );
  });

  test("never looks the same twice", () => {
    expect(sealer.seal("s", "prv_1")).not.toBe(sealer.seal("s", "prv_1"));
  });

  test("does not open for another owner, with another key, or changed by a bit", () => {
    const sealed = sealer.seal("secret", "prv_1");
    expect(() => sealer.open(sealed, "prv_2")).toThrow("the stored secret of prv_2 can't be opened");
    expect(() => makeSealer(random(32), random).open(sealed, "prv_1")).toThrow("can't be opened");
    const bytes = Buffer.from(sealed.slice(3), "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealer.open(`v1.${changed.toString("base64url")}`, "prv_1")).toThrow("can't be opened");
    }
    for (const damaged of ["", "v1.", "v1.AAAA", sealed.slice(0, -30)])
      expect(() => sealer.open(damaged, "prv_1")).toThrow("can't be opened");
  });
});

test("a new key has 256 random bits behind its prefix, and hashes as sha256sum does", () => {
  expect(mintApiKey((size) => new Uint8Array(size))).toBe(`ferry_${"A".repeat(43)}`);
  expect(hashSecret("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

describe("the log", () => {
  const logged = (error: unknown) => {
    const lines: string[] = [];
    makeLog((line) => lines.push(line), makeTestClock()).error("failed", error, { session: "ses_1" });
    return lines;
  };

  test("is one JSON object a line, whatever an error says", () => {
    const [line = "", ...rest] = logged(new Error("two\nlines \u001b[31m"));
    expect(rest).toEqual([]);
    expect(line).toMatch(/^[\x20-\x7e]*\n$/u);
    expect(JSON.parse(line)).toMatchObject({
      time: "2026-01-01T00:00:00.000Z",
      level: "error",
      message: "failed",
      session: "ses_1",
    });
  });

  test.each([
    ["a key of ours", mintApiKey((size) => new Uint8Array(size).fill(7))],
    ["GitLab's token", "glpat-0123456789abcdef"],
    ["a password in an address", "s3cret@example.com"],
    ["a bearer token", "abc.def"],
  ])("cuts %s", (_, secret) => {
    const text = secret.includes("@") ? `fetch https://ada:${secret}/x failed` : `said: Authorization: Bearer ${secret}`;
    const line = logged(new Error(text)).join("");
    expect(line).not.toContain(secret);
    expect(line).toContain("<redacted>");
  });

  test("stays JSON when something was cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("ferry_", "glpat-", "x".repeat(9), "://", "@", '"', "\\", "Bearer ", "x-api-key: ", "\n", ",")),
        (parts) => {
          for (const line of logged(parts.join(""))) expect(JSON.parse(line)).toMatchObject({ level: "error" });
        },
      ),
    );
  });
});
