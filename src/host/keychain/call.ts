/** One of keytar's five calls, as it travels to the child process. */
export type KeychainCall =
  | { readonly name: "getPassword" | "deletePassword"; readonly service: string; readonly account: string }
  | { readonly name: "setPassword"; readonly service: string; readonly account: string; readonly password: string }
  | { readonly name: "findPassword" | "findCredentials"; readonly service: string };

/** `timeout`: it was reached and gave no answer; `silent`: it couldn't even be reached. */
export type KeychainFault = "unavailable" | "locked" | "timeout" | "silent";

export type KeychainAnswer = { readonly value: unknown } | { readonly error: KeychainFault; readonly message: string };

/** Makes the call in this process. Never rejects: what went wrong is the answer. */
export async function callKeychain(call: KeychainCall): Promise<KeychainAnswer> {
  try {
    return { value: await perform(call) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: saysLocked(message) ? "locked" : "unavailable", message };
  }
}

/** What has no word of its own for it says so in its text. A bus that hangs up says that something "blocked the reply". */
export function saysLocked(message: string): boolean {
  return /(?<![a-z])(?:is)?lock(?:ed)?(?![a-z])|prompt|dismissed|interaction is not allowed|-25308/iu.test(message);
}

async function perform(call: KeychainCall): Promise<unknown> {
  const { AsyncEntry, findCredentialsAsync } = await import("@napi-rs/keyring");
  // Unpinned, Linux falls back silently to the kernel's keyring, which forgets at the next boot.
  const entry = (account: string) => new AsyncEntry(call.service, account, { linux: { store: "secret-service" } });
  switch (call.name) {
    case "getPassword":
      return (await entry(call.account).getPassword()) ?? null;
    case "setPassword":
      await entry(call.account).setPassword(call.password);
      return null;
    case "deletePassword":
      return entry(call.account).deletePassword();
    case "findPassword":
      return (await findCredentialsAsync(call.service)).at(0)?.password ?? null;
    case "findCredentials":
      return findCredentialsAsync(call.service);
  }
}
