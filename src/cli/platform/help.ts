import type { AnyOperation } from '../../platform/index.ts';
import type { Input } from './inputs.ts';

/** What a call proves itself with, and the setting that gives it. */
const CREDENTIALS: Readonly<Record<AnyOperation['credential'], string>> = {
  none: 'none: the request itself proves who asks',
  'api-key': 'an API key (platform.credentials.apiKey, or an agent of interface lite-key)',
  'key-or-bearer': 'an API key, else a client of the lite interface',
  bearer: 'a client of the lite interface (platform.credentials.lite)',
  open: 'a client of the Open API or an identity-provider token (platform.credentials.open, .idpTokenFile)',
  admin: "the administrator's token (platform.credentials.adminToken)",
};

export const credentialText = ({ credential }: AnyOperation): string => CREDENTIALS[credential];

/** What follows the flags in a command's help. */
export function manualOf(operation: AnyOperation, inputs: readonly Input[]): string {
  const { method, path, destroys, alternatives = [] } = operation;
  const others = alternatives.map((other) => `${other.method ?? method} ${other.path ?? path}`);
  return [
    '',
    `Request:     ${[`${method} ${path}`, ...others].join('\n          or ')}`,
    `Credential:  ${credentialText(operation)}`,
    ...(destroys ? ['Careful:     this cannot be undone; it asks, or wants --yes'] : []),
    `Example:     ${exampleOf(operation, inputs)}`,
    'Exit codes:  0 done, 64 wrongly written, 65 refused by the platform, 69 unreachable, 75 busy, 77 not allowed, 78 configuration',
  ].join('\n');
}

/** Values for examples, by the name of the member, against the sandbox's own data. */
const SAMPLES: Readonly<Record<string, string>> = {
  workspace: 'handbook',
  userCode: 'member-one',
  query: "'visitor pass'",
  content: "'How long is a visitor pass valid?'",
  expertCode: 'knowledge',
  agentId: '5a1d0000-0000-4000-8000-000000000001',
  file: 'guide.md',
  files: 'guide.md notes.md',
  roles: 'Staff',
  users: 'anna bert',
  codes: 'anna bert',
  organizations: 'lab',
  messages: "'[{role: user, content: How long is a visitor pass valid?}]'",
  questions: "'Where is the key?'",
  answer: "'Under the mat.'",
  name: 'Guide',
  code: 'guide',
  names: "'[{languageCode: en-US, content: Guide}]'",
  title: "'[{languageCode: en-US, content: Guides}]'",
  username: 'anna',
  email: 'anna@example.com',
  realName: 'Anna',
  info: "'{name: Guide}'",
  parentCode: 'company',
};

/** A command line of the operation. */
export function exampleOf({ capability, command }: AnyOperation, inputs: readonly Input[]): string {
  const sample = ({ name, kind }: Input): string =>
    SAMPLES[name] ?? (kind === 'number' ? '1' : /ids?$/i.test(name) ? '4493041505002323001' : name);
  const placed = inputs.filter(({ positional }) => positional).map(sample);
  const flags = inputs
    .filter(({ positional, required, isBody }) => required && !positional && !isBody)
    .map((input) => (input.kind === 'switch' ? `--${input.flag}` : `--${flagName(input)} ${sample(input)}`));
  const body = inputs.some(({ isBody, kind, required }) => isBody && required && kind === 'yaml')
    ? ['--file body.yaml']
    : [];
  return ['parley platform', capability, command, ...placed, ...flags, ...body].join(' ');
}

export const flagName = ({ flag, kind }: Input): string => (kind === 'secret' ? `${flag}-file` : flag);
