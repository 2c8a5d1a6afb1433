import { systemClock } from '../../clock.ts';
import { defaultPlatform, placeOf } from '../../config/platform-setting.ts';
import { type Config, type CredentialSettings, credentialOf } from '../../config/schema.ts';
import { type Log, quiet } from '../../core/log.ts';
import { type BridgeError, usage } from '../../errors.ts';
import {
  type AnyOperation,
  type CallOptions,
  type Credentials,
  createPlatform,
  type Platform,
  type PlatformClient,
} from '../../platform/api.ts';
import { Secret } from '../../secret.ts';
import { type CommandDeps, loadSettings } from '../channels.ts';
import { sandboxCatalogue } from '../embedded.ts';
import { borrowSandbox } from '../sandbox-process.ts';
import { withCure } from './credentials.ts';
import { note } from './output.ts';

/** Flags that every platform command accepts. */
export interface AccessOptions {
  readonly json?: true;
  readonly config?: string;
  /** Name of the platform. If absent: the platform of `agent`, or else `main` or the only platform. */
  readonly platform?: string;
  /** Name of the agent whose credential is used in place of `platform.credentials`. */
  readonly agent?: string;
  /** The platform account to act as, given with `--as`. */
  readonly as?: string;
}

/** The credentials that a command uses, and where they come from. */
interface Identity {
  readonly credentials: Credentials;
  /** Where the credentials come from, as a phrase for messages. */
  readonly from: string;
}

/** Returns the credentials of the sandbox's administrator. */
export function ofSandbox({ agent = 'knowledge' }: AccessOptions): Identity {
  const { agents, liteClient, openClient, adminToken } = sandboxCatalogue();
  const found = agents.find(({ name }) => name === agent);
  const names = agents.map(({ name }) => name);
  if (found === undefined) throw unknownAgent(agent, names);
  const { client, secret } = openClient;
  const { clientId, clientSecret } = liteClient;
  return {
    from: 'the sandbox',
    credentials: {
      apiKey: new Secret(found.apiKey),
      lite: { kind: 'client-token', clientId, secret: new Secret(clientSecret), username: 'admin' },
      open: { kind: 'client-account', client, secret: new Secret(secret), account: 'admin' },
      adminToken: new Secret(adminToken),
    },
  };
}

/**
 * Returns the credentials in the configuration. A token of the identity provider is preferred to the client of the Open
 * API, except with `--as`, which needs the client. An agent's credential acts as that agent's account, so it is used
 * only if `--agent` names the agent, and only on the agent's platform.
 */
export function ofConfig(config: Config, options: AccessOptions): Identity {
  const { agent, as } = options;
  const { agents } = config;
  const { name: platform, settings } = platformOf(config, options);
  const { apiKey, lite, open, idpTokenFile, adminToken } = settings.credentials;
  if (agent !== undefined) {
    const setting = agents[agent];
    const known = Object.keys(agents).filter((name) => agents[name]?.platform === platform);
    const credential = setting && credentialOf(setting);
    if (setting?.platform !== platform || credential === undefined) throw unknownAgent(agent, known);
    return {
      from: `agents.${agent}.credential`,
      credentials: { ...ofAgent(credential), adminToken },
    };
  }
  const idp = idpTokenFile && ({ kind: 'idp', token: async () => idpTokenFile } as const);
  const client = open && ({ ...open, kind: 'client-account' } as const);
  return {
    from: `${placeOf(platform, config.platforms)}.credentials`,
    credentials: {
      apiKey,
      lite: lite && { ...lite, kind: 'client-token', secret: lite.clientSecret },
      open: as === undefined ? (idp ?? client) : (client ?? idp),
      adminToken,
    },
  };
}

/** Returns the platform that the options select. Throws `usage` if it is not configured. */
function platformOf({ platforms, agents }: Config, { platform, agent = '' }: AccessOptions) {
  const known = Object.keys(platforms);
  const name = platform ?? agents[agent]?.platform ?? defaultPlatform(known);
  const settings = known.includes(name) ? platforms[name] : undefined;
  if (settings !== undefined) return { name, settings };
  throw usage(`There is no platform "${name}". Known platforms: ${known.join(', ')}.`);
}

function ofAgent(credential: CredentialSettings): Credentials {
  switch (credential.kind) {
    case 'api-key':
      return { apiKey: credential.key };
    case 'client-token':
      return { lite: { ...credential, secret: credential.clientSecret } };
    case 'client-account':
      return { open: credential };
    case 'idp':
      return { open: { kind: 'idp', token: async () => credential.tokenFile } };
    case 'asker':
      return credential.elsewhere === undefined ? {} : ofAgent(credential.elsewhere);
  }
}

/**
 * Prints which account or credential a command uses. Prints it on standard error, so that a pipe gets only the result.
 */
export function noteIdentity(
  operation: Pick<AnyOperation, 'credential'>,
  { identity, call: { account } }: Access,
): void {
  const text = identityText(operation, identity, account);
  if (text !== undefined) note(text);
}

/** Describes the account or credential that an operation uses; undefined if it needs none. */
export function identityText(
  { credential }: Pick<AnyOperation, 'credential'>,
  { credentials, from }: Identity,
  as: string | undefined,
): string | undefined {
  const { apiKey, lite, open } = credentials;
  const who = {
    none: undefined,
    'api-key': apiKey && 'with the API key',
    'key-or-bearer': apiKey ? 'with the API key' : lite && accountText(lite, as),
    bearer: lite && accountText(lite, as),
    open: open && accountText(open, as),
    admin: "with the administrator's token",
  }[credential];
  return who === undefined ? undefined : `Asking ${who} (${from}).`;
}

function accountText(
  credential: NonNullable<Credentials['lite'] | Credentials['open']>,
  as: string | undefined,
): string {
  if (credential.kind === 'idp' || credential.kind === 'asker')
    return 'as the person of the identity-provider token';
  const own = credential.kind === 'client-account' ? credential.account : credential.username;
  return `as ${as ?? own}`;
}

function unknownAgent(agent: string, known: readonly string[]): BridgeError {
  return usage(`There is no agent "${agent}". Known agents: ${known.join(', ')}.`);
}

export interface Access {
  readonly client: PlatformClient;
  /** Options of every call, for example the account given with `--as`. */
  readonly call: CallOptions;
  readonly identity: Identity;
  /** Base address of the platform. */
  readonly baseUrl: string;
  /** Checks the base address. */
  readonly check: Platform['check'];
  readonly embedded: boolean;
}

/**
 * Connects to the configured platform, or starts the sandbox if none is configured. Ends the connection when `work` is
 * done.
 */
export async function withPlatform<T>(
  options: AccessOptions,
  deps: CommandDeps,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const { config, embedded } = await loadSettings(deps, options.config);
  const { name, settings } = platformOf(config, options);
  const sandbox = embedded ? await borrowSandbox(config) : undefined;
  const baseUrl = sandbox?.url ?? settings.baseUrl;
  const ports = { clock: systemClock, log: warnings, random: Math.random };
  const platform = createPlatform({ ...settings, baseUrl }, ports);
  try {
    const identity = embedded ? ofSandbox(options) : ofConfig(config, options);
    const client = platform.client(identity.credentials);
    const call = options.as === undefined ? {} : { account: options.as };
    return await work({ client, call, identity, baseUrl, embedded, check: platform.check });
  } catch (thrown) {
    throw withCure(thrown, options.agent, placeOf(name, config.platforms));
  } finally {
    await platform.close();
    await sandbox?.stop();
  }
}

/** A log that prints only the client's warnings and errors, on standard error. */
const warnings: Log = {
  ...quiet,
  warn: (_facts, message) => note(`Note: ${message}.`),
  error: (_facts, message) => note(message),
};
