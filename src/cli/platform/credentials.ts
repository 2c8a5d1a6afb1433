import { BridgeError } from '../../errors.ts';
import type { AnyOperation } from '../../platform/api.ts';

type Kind = AnyOperation['credential'];

interface Needed {
  readonly what: string;
  /** The settings in which the credential is configured. */
  readonly settings: string;
}

/** The name of each kind of credential, and the settings that contain it. */
const CREDENTIALS: Readonly<Record<Exclude<Kind, 'none'>, Needed>> = {
  'api-key': {
    what: 'an API key',
    settings: 'platform.credentials.apiKey, or use --agent with an agent whose interface is lite-key',
  },
  'key-or-bearer': {
    what: "an API key, or else a client (id and secret) of the platform's lite interface",
    settings: 'platform.credentials.apiKey or .lite',
  },
  bearer: {
    what: "a client (id and secret) of the platform's lite interface",
    settings: 'platform.credentials.lite: clientId, clientSecret, username',
  },
  open: {
    what: 'a client (id and secret) of the Open API, or a token of the identity provider',
    settings: 'platform.credentials.open: client, secret, account; or platform.credentials.idpTokenFile',
  },
  admin: { what: "the administrator's token", settings: 'platform.credentials.adminToken' },
};

const isKind = (kind: unknown): kind is keyof typeof CREDENTIALS =>
  typeof kind === 'string' && Object.hasOwn(CREDENTIALS, kind);

/** Describes the credential that an operation needs, and the settings that contain it. */
export function credentialText({ credential }: AnyOperation): string {
  if (!isKind(credential)) return 'none: the request itself contains the proof of identity';
  const { what, settings } = CREDENTIALS[credential];
  return `${what} (${settings})`;
}

/**
 * Adds the setting to an error about a missing credential. Returns any other error unchanged.
 *
 * @param place setting with the platform's settings
 */
export function withCure(thrown: unknown, agent: string | undefined, place: string): unknown {
  if (!(thrown instanceof BridgeError) || thrown.code !== 'config-invalid') return thrown;
  const { credential } = thrown.facts;
  if (!isKind(credential)) return thrown;
  const cure =
    agent !== undefined && credential === 'api-key'
      ? `The agent "${agent}" has none: name an agent whose interface is lite-key, or omit --agent to use platform.credentials.apiKey.`
      : agent === undefined
        ? `Set ${CREDENTIALS[credential].settings}. An agent's credential is used only where --agent names the agent.`
        : `The agent "${agent}" has none: omit --agent to use platform.credentials.`;
  const placed = cure.replaceAll('platform.credentials', `${place}.credentials`);
  return new BridgeError('config-invalid', `${thrown.message} ${placed}`, {
    cause: thrown,
    facts: thrown.facts,
  });
}
