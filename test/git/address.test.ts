import { describe, expect, test } from "vitest";
import { parseRemote, sshAddress } from "../../src/git/address.ts";

describe("an address in its parts", () => {
  test.each([
    ["https://GitLab.example/acme/shop.git", ["http", undefined, "gitlab.example", undefined, "acme/shop"]],
    ["https://me:secret@gitlab.example:8443/acme/shop/", ["http", "me", "gitlab.example", "8443", "acme/shop"]],
    ["git@gitlab.example:acme/Shop.git", ["ssh", "git", "gitlab.example", undefined, "acme/Shop"]],
    ["work:acme/sub/shop", ["ssh", undefined, "work", undefined, "acme/sub/shop"]],
    ["ssh://git@gitlab.example:2222/acme/shop.git", ["ssh", "git", "gitlab.example", "2222", "acme/shop"]],
    ["git://gitlab.example/acme/shop", ["git", undefined, "gitlab.example", undefined, "acme/shop"]],
  ])("%s", (url, [transport, user, host, port, path]) => {
    expect(parseRemote(url)).toEqual({ transport, user, host, port, path });
  });

  test.each(["/srv/git/shop.git", "../shop", "file:///srv/shop.git", "ext::sh -c x", "https://", "svn://x.example/y", ""])(
    "%j is none",
    (url) => {
      expect(parseRemote(url)).toBeUndefined();
    },
  );

  test("a port makes an ssh address a URL", () => {
    const address = { transport: "ssh", user: "git", host: "h.example", port: undefined, path: "a/b" } as const;
    expect(sshAddress(address)).toBe("git@h.example:a/b.git");
    expect(sshAddress({ ...address, port: "2222" })).toBe("ssh://git@h.example:2222/a/b.git");
  });
});
