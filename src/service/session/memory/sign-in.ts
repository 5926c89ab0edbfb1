import { join } from "node:path";
import { asFerryError } from "../../../base/errors.ts";
import type { Files } from "../../../host/host.ts";
import { isRenewable, renewed } from "../../agent/sign-in/renewal.ts";
import { filesOf, type KeptFile } from "../../agent/sign-in/store.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import type { SessionsDeps } from "../deps.ts";
import { makeMutex } from "../mutex.ts";
import { fillHome, readHome } from "./home.ts";

/** Between two looks while the agent works, in ms: so long may another session go on with a sign-in that this one has renewed. */
const pause = 15_000;

type Deps = Pick<SessionsDeps, "log"> & { readonly host: Pick<SessionsDeps["host"], "clock" | "files"> };

/**
 * The agents' own sign-ins, as all sandboxes of the service share them. Where a provider takes each refresh token once alone (RFC 9700,
 * 4.14.2), the first session that renews would else sign all others out, and the user.
 */
export class SignIns {
  private readonly files: Files;
  private readonly lock = makeMutex();
  /** What this service wrote last, by the files' paths. */
  private readonly written = new Map<string, string>();

  constructor(files: Files) {
    this.files = files;
  }

  /**
   * Writes a renewal down: whole, and one after another; the last one counts. Not where somebody else has changed the file: the user has
   * signed in anew, or out.
   * @param given the file as the sandbox was given it
   * @returns the file as it is then; undefined where it stays
   */
  keep(path: string, given: string, inside: string): Promise<string | undefined> {
    return this.lock(path, async () => {
      const now = await this.files.readText(path);
      if (now === undefined || (now !== given && !this.isOurs(path, now))) return undefined;
      const text = renewed(now, inside);
      if (text === undefined) return undefined;
      await this.files.write(path, text, 0o600);
      this.written.set(path, text);
      return text;
    });
  }

  /** Whether the file says what this service wrote last. */
  isOurs(path: string, text: string): boolean {
    return this.written.get(path) === text;
  }

  list(home: string): Promise<KeptFile[]> {
    return filesOf(this.files, home);
  }
}

/** One sandbox's copy of its agent's sign-in. */
export class SignInCopy {
  private readonly signIns: SignIns;
  private readonly deps: Deps;
  private readonly sandbox: Sandbox;
  /** The folder on the host. */
  private readonly home: string;
  /** Each file as the host had it and as it was inside when the two were last the same, by its path below HOME. */
  private readonly known = new Map<string, { readonly host: string; readonly inside: string }>();
  /** The user has signed in anew since: what the agent renews may be the earlier sign-in, which it still holds. */
  private superseded = false;

  constructor(signIns: SignIns, deps: Deps, sandbox: Sandbox, home: string) {
    this.signIns = signIns;
    this.deps = deps;
    this.sandbox = sandbox;
    this.home = home;
  }

  /** Puts it into the sandbox. @throws FerryError failure where it can't be written */
  async begin(): Promise<void> {
    await this.give(await this.signIns.list(this.home));
  }

  /** Takes back what the agent has renewed, and gives it what other sessions did. Never throws. */
  async share(): Promise<void> {
    await this.exchange().catch((error: unknown) => {
      // Of a turn that is stopped, all processes are killed, this one's too; the last look comes after that.
      this.deps.log(`the sign-in of the sandbox ${this.sandbox.id}'s agent: ${asFerryError(error).message}`);
    });
  }

  /** The same again and again until the signal aborts, and once more then. */
  async tend(signal: AbortSignal): Promise<void> {
    for (let over = false; !over;) {
      await this.deps.host.clock.sleep(pause, signal).catch(() => undefined);
      over = signal.aborted;
      await this.share();
    }
  }

  private async exchange(): Promise<void> {
    for (const [path, inside] of await readHome(this.sandbox, [...this.known.keys()])) {
      const known = this.known.get(path);
      if (known === undefined || known.inside === inside || this.superseded) continue;
      const host = (await this.signIns.keep(join(this.home, path), known.host, inside)) ?? known.host;
      this.known.set(path, { host, inside });
    }
    const fresh = (await this.signIns.list(this.home)).filter((file) => this.known.get(file.path)?.host !== textOf(file));
    if (fresh.length === 0) return;
    this.superseded ||= fresh.some((file) => !this.signIns.isOurs(join(this.home, file.path), textOf(file)));
    await this.give(fresh);
  }

  private async give(files: readonly KeptFile[]): Promise<void> {
    // What is renewed comes back, so that the host's is the newest; of all else the session's own may be.
    await fillHome(
      this.sandbox,
      files.map((file) => ({ ...file, always: isRenewable(textOf(file)) })),
    );
    for (const file of files) this.known.set(file.path, { host: textOf(file), inside: textOf(file) });
  }
}

function textOf({ bytes }: KeptFile): string {
  return Buffer.from(bytes).toString("utf8");
}
