import type { Scope } from "../../../wire/values.ts";

/** What is remembered of logins while they run, and of browsers that are signed in. Secrets are kept as hex of their sha256 alone. */
export interface LoginStore {
  insertCode(code: CodeRecord): Promise<void>;
  findCode(hash: string): Promise<CodeRecord | undefined>;
  /** Notes the key that the code was given for; false where it was given for one before. */
  redeemCode(hash: string, keyId: string): Promise<boolean>;

  insertDevice(device: DeviceRecord): Promise<void>;
  findDevice(hash: string): Promise<DeviceRecord | undefined>;
  /** The one that has this code, whatever was decided on it. */
  findDeviceByUserCode(userCode: string): Promise<DeviceRecord | undefined>;
  /** Keeps so many of those that wait for their user, and drops the oldest. */
  forgetDevices(kept: number): Promise<void>;
  /** Moves it on from one state to the next; false where it isn't in that state any more. */
  moveDevice(hash: string, from: DeviceState, to: { readonly state: DeviceState; readonly user_id?: string }): Promise<boolean>;
  notePoll(hash: string, poll: Pick<DeviceRecord, "polled_at" | "interval_seconds">): Promise<void>;

  insertSignIn(signIn: SignInRecord): Promise<void>;
  findSignIn(hash: string): Promise<SignInRecord | undefined>;
  deleteSignIn(hash: string): Promise<void>;
  endSignIns(): Promise<void>;

  /** Drops what expired before a time. */
  forget(before: string): Promise<void>;
}

/** An authorization code (RFC 6749, 4.1.2), bound to what it was asked for with. */
export interface CodeRecord {
  readonly hash: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  /** S256 of the verifier (RFC 7636, 4.2). */
  readonly challenge: string;
  readonly user_id: string;
  readonly scopes: readonly Scope[];
  /** What the key will be called. */
  readonly key_name: string;
  readonly expires_at: string;
  /** The key that it was given for; a second use revokes it. */
  readonly key_id: string | null;
}

export type DeviceState = "pending" | "approved" | "denied" | "redeemed";

/** A device's request for a key (RFC 8628, 3.2). */
export interface DeviceRecord {
  readonly hash: string;
  /** What its user types, without the dash. */
  readonly user_code: string;
  readonly client_id: string;
  readonly scopes: readonly Scope[];
  readonly device_name: string;
  readonly device_system: string;
  readonly client_version: string;
  readonly state: DeviceState;
  /** Who approved it. */
  readonly user_id: string | null;
  readonly interval_seconds: number;
  readonly polled_at: string | null;
  readonly expires_at: string;
}

/** A browser that is signed in to the portal. */
export interface SignInRecord {
  readonly hash: string;
  readonly user_id: string;
  readonly expires_at: string;
}
