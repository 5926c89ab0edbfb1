import { shown } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";

/**
 * Lets an address of an API pass that has no user or password in it, since it is kept, and shown to all who see the provider, and
 * that is what it looks like: of an address, URLs take line breaks and tabs out.
 * @throws FerryError usage
 */
export function checkBaseUrl(address: string): void {
  if (/\p{Cc}/u.test(address))
    throw new FerryError("usage", `--base-url: "${shown(address)}" is no address`, {
      hint: "write it as https://gitlab.example.com",
    });
  // As `shown` has it: what stands before an @ may be a password, also where a URL reads it otherwise.
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*([^\\/?#]*)/iu.exec(address)?.[1] ?? "";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!authority.includes("@") && (url?.username ?? "") === "" && (url?.password ?? "") === "") return;
  throw new FerryError("usage", "--base-url holds no user name or password", {
    hint: "leave that out; the access token comes by --token-stdin or --token-env",
  });
}
