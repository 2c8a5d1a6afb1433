import { systemClock } from '../../clock.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { Log } from '../../core/log.ts';
import { BridgeError } from '../../errors.ts';
import { type Credentials, createPlatform, type PlatformClient } from '../../platform/api.ts';
import { sandboxCatalogue } from '../../sandbox/fixtures.ts';
import { Secret } from '../../secret.ts';
import { borrowSandbox } from '../borrowed-sandbox.ts';
import { embeddedSettings } from '../embedded.ts';
import { withCure } from './credentials.ts';
import { note } from './output.ts';

/** Flags that every command of the platform takes. */
export interface AccessOptions {
  readonly config?: string;
  /** Whose API key is used. */
  readonly agent?: string;
}

export interface Access {
  readonly client: PlatformClient;
  readonly config: Config;
  readonly credentials: Credentials;
  /** The base address that is called. */
  readonly baseUrl: string;
  readonly embedded: boolean;
}

/** Connects to the configured platform, or to the sandbox where none is configured, for as long as the work takes. */
export async function withPlatform<T>(
  options: AccessOptions,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const { config, embedded } = loadConfig({
    sandbox: embeddedSettings(),
    ...(options.config !== undefined && { file: options.config }),
  });
  const sandbox = embedded ? await borrowSandbox(config) : undefined;
  const baseUrl = sandbox?.url ?? config.platform.baseUrl;
  const platform = createPlatform(
    { ...config.platform, baseUrl },
    { clock: systemClock, log: warnings, random: Math.random },
  );
  try {
    const credentials = embedded ? ofSandbox(options) : ofConfig(config, options);
    return await work({ client: platform.client(credentials), config, credentials, baseUrl, embedded });
  } catch (thrown) {
    throw withCure(thrown, options.agent);
  } finally {
    await platform.close();
    await sandbox?.stop();
  }
}

/** What the client warns of is said beside the result. */
const warnings: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_facts, message) => note(`Note: ${message}.`),
  error: (_facts, message) => note(message),
};

/** The sandbox is the operator's own: its administrator does everything. */
function ofSandbox({ agent = 'knowledge' }: AccessOptions): Credentials {
  const { agents, liteClient, openClient, adminToken } = sandboxCatalogue;
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined)
    throw unknownAgent(
      agent,
      agents.map(({ name }) => name),
    );
  const { client, secret } = openClient;
  const { clientId, clientSecret } = liteClient;
  return {
    apiKey: new Secret(found.apiKey),
    lite: { kind: 'client-token', clientId, secret: new Secret(clientSecret), username: 'admin' },
    open: { kind: 'client-account', client, secret: new Secret(secret), account: 'admin' },
    adminToken: new Secret(adminToken),
  };
}

/** `platform.credentials`, and where it says nothing what an agent has. */
function ofConfig({ platform, agents }: Config, { agent }: AccessOptions): Credentials {
  if (agent !== undefined && agents[agent] === undefined) throw unknownAgent(agent, Object.keys(agents));
  const { apiKey, lite, open, idpTokenFile, adminToken } = platform.credentials;
  const those = Object.entries(agents)
    .filter(([name]) => agent === undefined || name === agent)
    .map(([, { credential }]) => credential);
  const key = those.find((each) => each.kind === 'api-key')?.key;
  const token = those.find((each) => each.kind === 'client-token');
  const account = those.find((each) => each.kind === 'client-account');
  const idp = idpTokenFile ?? those.find((each) => each.kind === 'idp')?.tokenFile;
  const client = lite ?? token;
  const idpCredential = idp && ({ kind: 'idp', token: async () => idp } as const);
  const openClient = open ?? account;
  return {
    apiKey: agent === undefined ? (apiKey ?? key) : key,
    lite: client && {
      kind: 'client-token',
      clientId: client.clientId,
      secret: client.clientSecret,
      username: client.username,
    },
    open: openClient ? { ...openClient, kind: 'client-account' } : idpCredential,
    adminToken,
  };
}

function unknownAgent(agent: string, known: readonly string[]): BridgeError {
  return new BridgeError('usage', `There is no agent "${agent}". Known are: ${known.join(', ')}.`);
}
