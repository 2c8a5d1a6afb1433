import type { Channel, Environment, Variable } from '../kit/channel.ts';

interface Placed {
  readonly name: string;
  readonly path: readonly string[];
  readonly kind: Variable['kind'];
}

const own: readonly Placed[] = [
  { name: 'PORT', path: ['server', 'port'], kind: 'number' },
  { name: 'PARLEY_HOST', path: ['server', 'host'], kind: 'text' },
  { name: 'PARLEY_PUBLIC_URL', path: ['server', 'publicUrl'], kind: 'text' },
  { name: 'PARLEY_METRICS_TOKEN', path: ['server', 'metricsToken'], kind: 'secret' },
  { name: 'PARLEY_DATA', path: ['data'], kind: 'text' },
  { name: 'PARLEY_RULES', path: ['rules'], kind: 'text' },
  { name: 'PARLEY_KEY', path: ['key'], kind: 'secret' },
  { name: 'DATABASE_URL', path: ['database', 'url'], kind: 'secret' },
  { name: 'PLATFORM_BASE_URL', path: ['platform', 'baseUrl'], kind: 'text' },
  { name: 'PARLEY_SANDBOX_PORT', path: ['sandbox', 'port'], kind: 'number' },
  { name: 'PARLEY_LOG_LEVEL', path: ['log', 'level'], kind: 'text' },
  { name: 'PARLEY_LOG_FORMAT', path: ['log', 'format'], kind: 'text' },
];

/**
 * Returns the environment variables that override settings. For a secret, `NAME_FILE` may instead name a file that
 * contains it.
 */
export function variables(channels: readonly Channel[]): readonly Placed[] {
  const ofChannel = ({ name: channel, variables: each }: Channel) =>
    Object.entries(each).map(([name, { setting, kind }]) => ({ name, path: [channel, setting], kind }));
  return [...own, ...channels.flatMap(ofChannel)];
}

/** A setting that an environment variable overrides. */
interface Override {
  readonly name: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Returns the settings given by environment variables. Blank variables count as unset, except those of secrets: a
 * blank secret is kept, so that the check refuses it.
 */
export function overrides(environment: Environment, channels: readonly Channel[]): readonly Override[] {
  return variables(channels).flatMap(({ name, path, kind }): readonly Override[] => {
    const text = environment[name];
    const file = environment[`${name}_FILE`];
    if (kind === 'secret' && file !== undefined) return [{ name: `${name}_FILE`, path, value: { file } }];
    if (text === undefined || (text.trim() === '' && kind !== 'secret')) return [];
    return [{ name, path, value: kind === 'number' && /^\d+$/.test(text) ? Number(text) : text }];
  });
}

/** Returns the process's environment; no other code reads it. */
export function processEnvironment(): Environment {
  return { ...process.env };
}
