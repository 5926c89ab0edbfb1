import fc from "fast-check";
import { expect, test } from "vitest";
import { readPasted } from "../../src/auth/browser/paste.ts";

const ours = { state: "s".repeat(43), issuer: "https://agents.example.com" };
const read = (text: string) => Object.fromEntries(readPasted(text, ours) ?? []);

test("a code stands for an answer to our own question", () => {
  expect(read("abcdef")).toEqual({ code: "abcdef", state: ours.state, iss: ours.issuer });
});

test("an address brings what it says itself, whoever it names", () => {
  expect(read("HTTP://127.0.0.1:1/callback?code=c&state=t&iss=i")).toEqual({ code: "c", state: "t", iss: "i" });
  expect(read("https://x/?error=access_denied&state=t")).toEqual({ error: "access_denied", state: "t" });
});

test.each([
  "",
  "   ",
  "abc",
  "häuser-und-höfe",
  "https://x/",
  "http://",
  "https://x/?state=t",
  "x".repeat(2049),
  "https://x/?code=&state=t",
  "https://x/?code=a&code=b&state=t",
  "https://x/?code=a&error=b&state=t",
  "https://x/?code=a&state=t&state=u",
  "https://x/?code=a&state=t&response=jwt",
  "https://x/?code=a",
])("%j is neither", (text) => {
  expect(readPasted(text, ours)).toBeUndefined();
});

test("blanks and line breaks, wherever a terminal puts them, change nothing", () => {
  const word = fc.stringMatching(/^[\w~.-]{6,60}$/u);
  const blank = fc.constantFrom(" ", "\n", "\r\n", "\t", "   ");
  fc.assert(
    fc.property(word, fc.boolean(), blank, fc.nat(), (code, whole, space, at) => {
      const text = whole ? `http://127.0.0.1:5000/callback?code=${code}&state=t` : code;
      const place = at % (text.length + 1);
      expect(read(`${space}${text.slice(0, place)}${space}${text.slice(place)}${space}`)).toEqual(read(text));
    }),
  );
});

test("whatever is pasted, it is an answer or none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const parameters = readPasted(text, ours);
      if (parameters !== undefined) expect(parameters.has("code") || parameters.has("error")).toBe(true);
    }),
  );
});
