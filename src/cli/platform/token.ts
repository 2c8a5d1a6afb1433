import { BridgeError } from '../../errors.ts';
import type { Secret } from '../../secret.ts';
import type { House } from '../channels.ts';
import { type AccessOptions, withPlatform } from './access.ts';
import { print, printJson } from './output.ts';
import { noteIdentity } from './run.ts';

export interface TokenOptions extends AccessOptions {
  readonly lite?: true;
  readonly json?: true;
}

/** Prints a token and nothing else, so that a shell can take it; it is good for as long as the platform says. */
export function printToken(options: TokenOptions, house: House): Promise<number> {
  return withPlatform(options, house, async (access) => {
    const { client } = access;
    const account = options.as === undefined ? {} : { account: options.as };
    const token: Secret | undefined = await client.token(options.lite ? 'lite' : 'open', account);
    if (token === undefined) {
      const setting = options.lite ? 'platform.credentials.lite' : 'platform.credentials.open';
      throw new BridgeError('config-invalid', `There is no credential that gives a token. Set ${setting}.`);
    }
    noteIdentity({ credential: options.lite ? 'bearer' : 'open' }, access, options);
    if (options.json) printJson({ token: token.reveal() });
    else print(token.reveal());
    return 0;
  });
}
