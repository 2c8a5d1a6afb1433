import type { Environment } from './secret-setting.ts';

interface Variable {
  readonly name: string;
  readonly path: readonly string[];
  readonly kind: 'text' | 'number' | 'secret';
}

/** The environment variables that override settings. A secret may be given as a path in NAME_FILE instead. */
export const variables: readonly Variable[] = [
  { name: 'PORT', path: ['server', 'port'], kind: 'number' },
  { name: 'PARLEY_HOST', path: ['server', 'host'], kind: 'text' },
  { name: 'PARLEY_PUBLIC_URL', path: ['server', 'publicUrl'], kind: 'text' },
  { name: 'PARLEY_DATA', path: ['data'], kind: 'text' },
  { name: 'PARLEY_KEY', path: ['key'], kind: 'secret' },
  { name: 'PARLEY_CONSOLE_TOKEN', path: ['console', 'token'], kind: 'secret' },
  { name: 'SLACK_BOT_TOKEN', path: ['slack', 'botToken'], kind: 'secret' },
  { name: 'SLACK_SIGNING_SECRET', path: ['slack', 'signingSecret'], kind: 'secret' },
  { name: 'SLACK_APP_TOKEN', path: ['slack', 'appToken'], kind: 'secret' },
  { name: 'SLACK_CLIENT_ID', path: ['slack', 'clientId'], kind: 'text' },
  { name: 'SLACK_CLIENT_SECRET', path: ['slack', 'clientSecret'], kind: 'secret' },
  { name: 'SLACK_STATE_SECRET', path: ['slack', 'stateSecret'], kind: 'secret' },
  { name: 'SLACK_API_URL', path: ['slack', 'apiUrl'], kind: 'text' },
  { name: 'MICROSOFT_APP_ID', path: ['teams', 'appId'], kind: 'secret' },
  { name: 'MICROSOFT_APP_TENANT_ID', path: ['teams', 'tenant'], kind: 'secret' },
  { name: 'MICROSOFT_APP_CLOUD', path: ['teams', 'cloud'], kind: 'text' },
  { name: 'MICROSOFT_APP_TYPE', path: ['teams', 'appType'], kind: 'text' },
  { name: 'MICROSOFT_APP_PASSWORD', path: ['teams', 'password'], kind: 'secret' },
  { name: 'MICROSOFT_APP_CERT', path: ['teams', 'certificate'], kind: 'secret' },
  { name: 'MICROSOFT_APP_KEY', path: ['teams', 'certificateKey'], kind: 'secret' },
  { name: 'PLATFORM_BASE_URL', path: ['platform', 'baseUrl'], kind: 'text' },
  { name: 'PARLEY_SANDBOX_PORT', path: ['sandbox', 'port'], kind: 'number' },
  { name: 'PARLEY_LOG_LEVEL', path: ['log', 'level'], kind: 'text' },
  { name: 'PARLEY_LOG_FORMAT', path: ['log', 'format'], kind: 'text' },
];

/** One setting that the environment gives, and the variable that gave it. */
export interface Override {
  readonly name: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Blank variables count as unset, but a blank secret is kept so that it is refused. */
export function overrides(environment: Environment): readonly Override[] {
  return variables.flatMap(({ name, path, kind }): readonly Override[] => {
    const text = environment[name];
    const file = environment[`${name}_FILE`];
    if (kind === 'secret' && file !== undefined) return [{ name: `${name}_FILE`, path, value: { file } }];
    if (text === undefined || (text.trim() === '' && kind !== 'secret')) return [];
    return [{ name, path, value: kind === 'number' && /^\d+$/.test(text) ? Number(text) : text }];
  });
}

/** The one place that reads the process's environment. */
export function processEnvironment(): Environment {
  return { ...process.env };
}
