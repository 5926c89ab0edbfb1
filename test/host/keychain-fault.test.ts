import { expect, test } from "vitest";
import { saysLocked } from "../../src/host/keychain/call.ts";
import { keychainFault } from "../../src/host/keychain/fault.ts";

/** As the library words it, with gnome-keyring 42.1 and dbus 1.14. */
test.each([
  [
    "Couldn't access platform storage: Secret Service: no result found",
    "what runs here as one has no collection to keep keys in",
  ],
  [
    "Platform failure: DBus error: Object does not exist at path “/org/freedesktop/secrets/collection/login”",
    "what runs here as one has no collection to keep keys in",
  ],
  [
    "zbus error: org.freedesktop.DBus.Error.ServiceUnknown: The name org.freedesktop.secrets was not provided by any .service files",
    "nobody keeps secrets on the D-Bus session",
  ],
  ["Platform failure: DBus error: something else", "something else"],
])("%s, in a line", (message, says) => {
  expect(keychainFault({ error: "unavailable", message }, "linux").message).toBe(`no keychain: ${says}`);
});

test.each([
  ["Secret Service: locked or prompt dismissed", true],
  ["zbus error: org.freedesktop.Secret.Error.IsLocked: Cannot get secret of a locked object", true],
  ["User interaction is not allowed. (-25308)", true],
  [
    "DBus error: Did not receive a reply. Possible causes include: the remote application did not send a reply, the message bus security policy blocked the reply, the reply timeout expired, or the network connection was broken.",
    false,
  ],
])("%.50s: locked? %s", (message, locked) => {
  expect(saysLocked(message)).toBe(locked);
});

test("what helps against a locked one is only what does, on each system", () => {
  const hint = (platform: NodeJS.Platform) => keychainFault({ error: "locked", message: "" }, platform).hint;
  expect(hint("linux")).toMatch(/desktop.*ferry config set credential_store file, and log in again; or set FERRY_API_KEY$/u);
  expect(hint("linux")).not.toContain("gnome-keyring-daemon");
  expect(hint("darwin")).toContain("security unlock-keychain");
});

test.each(["unavailable", "locked", "timeout", "silent"] as const)(
  "%s: a key that is stored there is not found elsewhere before a further login",
  (error) => {
    expect(keychainFault({ error, message: "" }, "linux").hint).toContain("credential_store file, and log in again");
  },
);
