import { describe, expect, test } from "vitest";
import { hostName, loginAt, parseAddress } from "../../src/auth/address.ts";

describe("a host's address has one form", () => {
  test.each([
    ["agents.example.com", "https://agents.example.com"],
    ["https://agents.example.com/", "https://agents.example.com"],
    [" HTTPS://Agents.Example.COM ", "https://agents.example.com"],
    ["https://agents.example.com:443", "https://agents.example.com"],
    ["https://example.com/ferry/", "https://example.com/ferry"],
    ["example.com:8443/ferry", "https://example.com:8443/ferry"],
    ["localhost:8080", "http://localhost:8080"],
    ["127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["https://[2001:DB8::1]", "https://[2001:db8::1]"],
    ["http://localhost", "http://localhost"],
    ["my_host.example.com", "https://my_host.example.com"],
    ["bücher.example", "https://xn--bcher-kva.example"],
    ["https://example.com?x=1#y", "https://example.com"],
  ])("%s", (text, address) => {
    expect(parseAddress(text)).toBe(address);
    expect(parseAddress(address)).toBe(address);
  });
});

describe("what is refused, without repeating a password", () => {
  test.each([
    ["", /is no address/u],
    ["https://", /is no address/u],
    ["not an address", /is no address/u],
    ["https://agents.exam\nple.com", /is no address/u],
    ["127.0.0.1:186\t12", /is no address/u],
    ["https://me:secret@example.com", /no user name or password/u],
    ["me@example.com", /no user name or password/u],
    ["https://me:secret@ex$ample.com", /"https:\/\/…@ex\$ample.com" is no address/u],
    ["https://me:sec@ret@ex ample", /"https:\/\/…@ex ample" is no address/u],
    ["me:secret@x:99999", /"…@x:99999" is no address/u],
    // A scheme that lacks a slash would be taken for a host's name, and the rest for its path.
    ["https:/me:secret@example.com", /"…@example.com" is no address/u],
    ["HTTP:\\\\me:secret@example.com", /"…@example.com" is no address/u],
    ["ftp:/me:secret@example.com", /is no address/u],
    ["https:me:secret@example.com", /no user name or password/u],
    ["https:///me:secret@example.com", /no user name or password/u],
    ["https://me:12/secret@example.com", /no user name or password/u],
    ["https://me:secret%40example.com", /"https:\/\/…%40example.com" is no address/u],
    ["https://example.com:secret", /"https:\/\/example.com:…" is no address/u],
    ["https://ex ample.com/?key=secret", /"https:\/\/ex ample.com\/\?…" is no address/u],
    ["http://example.com", /in the clear/u],
    ["ftp://example.com", /ftp:/u],
    ["file:///etc/passwd", /file:/u],
    ["https://x;{touch,y};echo", /no host has/u],
    ["https://`id`.example.com", /no host has/u],
  ])("%s", (text, message) => {
    expect(() => parseAddress(text)).toThrow(message);
    expect(() => parseAddress(text)).not.toThrow(/secret/u);
  });
});

test("people call it without its scheme", () => {
  expect(hostName("https://example.com/ferry")).toBe("example.com/ferry");
});

test("what logs in to it names it as it is, or not at all", () => {
  expect(loginAt("http://127.0.0.1:18520/a%20b")).toBe('ferry login --host "http://127.0.0.1:18520/a%20b"');
  expect(loginAt("https://example.com/%CD%")).toBe("ferry login, with that address as its --host");
});

test.each([
  ["https://u:secret@agents.example.com/team/", "https://agents.example.com/team"],
  ["http://u:secret@agents.example.com/team", "https://agents.example.com/team"],
  ["http://u:secret@127.0.0.1:18620/team", "http://127.0.0.1:18620/team"],
  ["http://agents.example.com/team", "https://agents.example.com/team"],
])("how %s is to be written keeps its path, but no password, and passes", (text, written) => {
  expect(() => parseAddress(text)).toThrow(expect.objectContaining({ hint: `write it as ${written}` }) as Error);
  expect(parseAddress(written)).toBe(written);
});

test("of a password that reads as a port and a path nothing is said, nor taken for a host", () => {
  const hint = "leave out all that stands before its last @";
  expect(() => parseAddress("https://me:12/secret@example.com")).toThrow(expect.objectContaining({ hint }) as Error);
});
