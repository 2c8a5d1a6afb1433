import type { AnyOperation } from '../../platform/api.ts';
import { exampleOf } from './example.ts';
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
