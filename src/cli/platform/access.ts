import { systemClock } from '../../clock.ts';
import type { Config } from '../../config/schema.ts';
import type { Log } from '../../core/log.ts';
import { type Credentials, createPlatform, type PlatformClient } from '../../platform/api.ts';
import { type House, loadSettings } from '../channels.ts';
import { borrowSandbox } from '../sandbox-process.ts';
import { withCure } from './credentials.ts';
import { type AccessOptions, type Identity, ofConfig, ofSandbox } from './identity.ts';
import { note } from './output.ts';

export type { AccessOptions } from './identity.ts';

export interface Access {
  readonly client: PlatformClient;
  readonly config: Config;
  readonly credentials: Credentials;
  readonly identity: Identity;
  /** The base address that is called. */
  readonly baseUrl: string;
  readonly embedded: boolean;
}

/** Connects to the configured platform, or to the sandbox where none is configured, for as long as the work takes. */
export async function withPlatform<T>(
  options: AccessOptions,
  house: House,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const { config, embedded } = await loadSettings(house, options.config);
  const sandbox = embedded ? await borrowSandbox(config) : undefined;
  const baseUrl = sandbox?.url ?? config.platform.baseUrl;
  const platform = createPlatform(
    { ...config.platform, baseUrl },
    { clock: systemClock, log: warnings, random: Math.random },
  );
  try {
    const identity = embedded ? ofSandbox(options) : ofConfig(config, options);
    const { credentials } = identity;
    const client = platform.client(credentials);
    return await work({ client, config, credentials, identity, baseUrl, embedded });
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
