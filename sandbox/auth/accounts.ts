import type { SandboxAccount } from '../fixtures.ts';

/** Where sign-in looks accounts up; the room of the people answers. */
export interface Accounts {
  /** The account with exactly this user name. */
  named(userName: string): SandboxAccount | undefined;
  /** The account with this account id or user id. */
  withId(id: string): SandboxAccount | undefined;
  /** Notes that a token was issued to the account with this account id. */
  signedIn(id: string): void;
}
