/** A user who signs in with a name and a password. */
export interface AccountRecord {
  readonly user_id: string;
  /** In lower case; of all accounts one has it. */
  readonly name: string;
  /** Hashed, with what it was hashed with. */
  readonly password: string;
  readonly created_at: string;
}

/** Who may sign in with a password. */
export interface AccountStore {
  /** @throws FerryError usage where the name is taken, by an account or by the service's own user */
  requireFree(name: string): Promise<void>;
  /** Makes the user as well. @throws FerryError usage where the name is taken */
  add(account: AccountRecord): Promise<void>;
  find(name: string): Promise<AccountRecord | undefined>;
  /** All, by name. */
  list(): Promise<AccountRecord[]>;
  /** Signs the user's browsers out, too. False where there is none of that name. */
  setPassword(name: string, password: string): Promise<boolean>;
  /** Ends the user, and with it their keys, sign-ins and logins that run. False where there is none of that name. */
  remove(name: string, at: string): Promise<boolean>;
}
