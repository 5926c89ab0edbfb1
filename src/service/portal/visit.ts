import type { App } from "../app.ts";
import type { Log } from "../log.ts";
import type { GrantDeps } from "../oauth/grant.ts";
import type { SiteNames } from "../reach/names.ts";
import type { Failures } from "./failures.ts";
import type { Passwords } from "./passwords.ts";
import type { SignInLink } from "./sign-in-link.ts";

export interface SiteDeps extends GrantDeps {
  readonly log: Log;
  /** What it is called; known only once it listens. */
  readonly names: () => SiteNames;
  readonly link: SignInLink;
  /** Where others than the owner sign in, too. */
  readonly passwords?: Passwords | undefined;
  /** Wrong codes of devices. */
  readonly wrongCodes: Failures;
  /** Who a sign-in by the link is. */
  readonly userId: string;
  /** The id of the key by which ferry on this machine calls the service. */
  readonly ownKeyId: string;
  /** The interface for programs, where it is served here as well: only then can a terminal log in here. */
  readonly api?: App | undefined;
}

/** A request that came by the right name, from a page of ours or from no page at all. */
export interface Visit {
  readonly request: Request;
  /** Of the site, as the browser calls it. */
  readonly origin: string;
  /** The address that it came from, where that says who it is: a proxy's doesn't. */
  readonly peer?: string | undefined;
}

export type Page = (visit: Visit, deps: SiteDeps) => Promise<Response>;
/** `METHOD /path` and who answers it. */
export type Pages = Readonly<Record<`${"GET" | "POST"} /${string}`, Page>>;
