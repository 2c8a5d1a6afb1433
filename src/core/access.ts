/** Who may ask, and as which platform account. Pure, and closed by default. */

import { BridgeError } from '../errors.ts';
import type { Person } from './message.ts';

export interface AccessPolicy {
  /** Whether people of these standings may ask at all (trust.md S18: off by default). */
  readonly guests: boolean;
  readonly external: boolean;
  readonly bots: boolean;
  /** Platform accounts by the person's id on the channel, or by e-mail in lower case. */
  readonly accounts: ReadonlyMap<string, string>;
  /** What people without an account get: the agent's own credential, or a refusal. */
  readonly unmapped: 'service' | 'refuse';
}

/** The platform account the person asks as; `undefined` for the agent's own credential. Throws `access-denied`. */
export function accountFor(person: Person, policy: AccessPolicy): string | undefined {
  if (!mayAsk(person, policy)) throw denied(`People of standing "${person.standing}" may not ask.`);
  const account = policy.accounts.get(person.id) ?? policy.accounts.get(person.email?.toLowerCase() ?? '');
  if (account === undefined && policy.unmapped === 'refuse') {
    throw denied('The person is not mapped to a platform account (identity.table).');
  }
  return account;
}

function mayAsk({ standing }: Person, policy: AccessPolicy): boolean {
  if (standing === 'guest') return policy.guests;
  if (standing === 'external') return policy.external;
  if (standing === 'bot') return policy.bots;
  return true;
}

function denied(message: string): BridgeError {
  return new BridgeError('access-denied', message);
}
