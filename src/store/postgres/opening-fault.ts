/** Turns an error of PostgreSQL or of the network at the start into an error of the bridge with a code and a cure. */

import { BridgeError, type ErrorCode } from '../../errors.ts';

interface Reason {
  readonly code: ErrorCode;
  readonly what: string;
  readonly cure: string;
}

const refused = (what: string, cure: string): Reason => ({ code: 'database-refused', what, cure });
const unreachable = (what: string, cure: string): Reason => ({ code: 'database-unreachable', what, cure });

const SIGN_IN = refused('refuses the user or the password', 'Correct them in DATABASE_URL.');
const READ_ONLY = refused(
  'accepts no writes',
  'It is a standby, or it was made read-only. Set DATABASE_URL to the address of the primary server.',
);
const PRIVILEGE = refused(
  'denies the user a privilege',
  'Let this user create and own the schema `parley`: GRANT CREATE ON DATABASE … TO ….',
);

/** Meaning of a SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
const BY_STATE: Readonly<Record<string, Reason>> = {
  '28P01': SIGN_IN,
  '28000': SIGN_IN,
  '3D000': refused('has no such database', 'Create it, or correct its name in DATABASE_URL.'),
  '42501': PRIVILEGE,
  '25006': READ_ONLY,
  '53300': unreachable(
    'has no free connection',
    'Raise max_connections, or end other clients. Each replica uses up to eight connections.',
  ),
  '57P03': unreachable('is still starting', 'Start the bridge again when it accepts connections.'),
};

const TLS = refused(
  'and this bridge do not agree on TLS',
  'Set sslmode in DATABASE_URL as the server requires, such as ?sslmode=verify-full. For a private certificate authority, set NODE_EXTRA_CA_CERTS.',
);
const SILENT = unreachable(
  'does not answer',
  'Check that the server is running. Then check the host and port in DATABASE_URL, and the firewall.',
);

/** Returns the error for a database that could not be opened. The message contains no part of the address. */
export function openingFault(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError && thrown.code !== 'store-unavailable') return thrown;
  const cause = thrown instanceof BridgeError ? thrown.cause : thrown;
  const { code, what, cure } = reasonOf(cause);
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return new BridgeError(code, `The PostgreSQL server of DATABASE_URL ${what}${reason}. ${cure}`, { cause });
}

function reasonOf(thrown: unknown): Reason {
  const state = stateOf(thrown);
  const known = state === undefined ? undefined : BY_STATE[state];
  if (known !== undefined) return known;
  const message = thrown instanceof Error ? thrown.message : '';
  return /certificate|SSL|TLS/i.test(message) ? TLS : SILENT;
}

/** Returns the code of an error: a SQLSTATE, or a code of the operating system. */
function stateOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
