import fc from "fast-check";
import { expect, test } from "vitest";
import { isListening, isRedirectUri } from "../../../src/service/oauth/client.ts";
import { readUserCode } from "../../../src/service/oauth/device.ts";
import { html } from "../../../src/service/portal/html.ts";
import { covers } from "../../../src/service/keys/scopes.ts";
import { confirmationCode } from "../../../src/wire/login.ts";
import { scopes } from "../../../src/wire/values.ts";

test("markup: whatever the text, only text comes of it, and all of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const rendered = html`${text}`.text;
      expect(rendered).not.toMatch(/[<>"']|&(?!#\d+;)/u);
      expect(rendered.replace(/&#(\d+);/gu, (_, code: string) => String.fromCharCode(Number(code)))).toBe(text);
    }),
  );
});

test("a redirect goes to this machine's callback, or is refused", () => {
  const parts = fc.constantFrom(
    "http://",
    "https://",
    "127.0.0.1",
    "[::1]",
    "localhost",
    "evil.example",
    ":",
    "@",
    "/",
    "\\",
    "?",
    "#",
    "8080",
    "/callback",
    "%2f",
    ".",
    "\n",
    " ",
  );
  const likely = fc.array(parts, { maxLength: 7 }).map((chosen) => `http://127.0.0.1${chosen.join("")}`);
  const any = fc.oneof(
    likely,
    fc.array(parts, { maxLength: 9 }).map((chosen) => chosen.join("")),
    fc.webUrl(),
    fc.string(),
  );
  fc.assert(
    fc.property(any, (uri) => {
      if (!isRedirectUri(uri)) return;
      const { protocol, hostname, pathname, search, hash, username, href } = new URL(uri);
      expect({ protocol, pathname, search, hash, username }).toEqual({
        protocol: "http:",
        pathname: "/callback",
        search: "",
        hash: "",
        username: "",
      });
      expect(["127.0.0.1", "[::1]"]).toContain(hostname);
      expect(href.replace(":80/", "/")).toBe(uri.replace(":80/", "/"));
    }),
    { numRuns: 2000 },
  );
});

test("every port is good, and without one nobody listens", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 65_535 }), (port) => {
      expect(isRedirectUri(`http://127.0.0.1:${port}/callback`)).toBe(true);
    }),
  );
  expect(isListening("http://127.0.0.1:8080/callback")).toBe(true);
  // The port of http itself, too, which a URL leaves out.
  expect(isListening("http://127.0.0.1:80/callback")).toBe(true);
  expect(isListening("http://[::1]:80/callback")).toBe(true);
  for (const address of ["127.0.0.1", "[::1]"]) expect(isListening(`http://${address}/callback`)).toBe(false);
});

test("a user's code is read however it is typed", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/u), fc.constantFrom("-", " ", "", " - "), (code, dash) => {
      expect(readUserCode(` ${code.slice(0, 4).toLowerCase()}${dash}${code.slice(4)} `)).toBe(code);
    }),
  );
});

test("the code that both sides show has eight letters that can't be taken for one another", async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[\w-]{43}$/u), async (challenge) => {
      expect(await confirmationCode(challenge)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/u);
    }),
    { numRuns: 10 },
  );
});

// By another implementation: base64.b32encode(hashlib.pbkdf2_hmac("sha256", …)), its letters exchanged for ours.
test.each([
  ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "16BM-4A1H"],
  ["47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "FP0D-7HX7"],
])("and is the known one of %s", async (challenge, code) => {
  expect(await confirmationCode(challenge)).toBe(code);
});

test("scopes: everyone may give what they have, and nothing more by adding less", () => {
  const some = fc.subarray([...scopes]);
  fc.assert(
    fc.property(some, some, (held, given) => {
      expect(covers(held, held)).toBe(true);
      expect(covers([...held, "all:all"], given)).toBe(true);
      if (covers(held, given)) for (const scope of given) expect(covers(held, [scope])).toBe(true);
    }),
  );
});
