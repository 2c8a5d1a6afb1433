/** A console whose people sign in with an OpenID provider. */

import type { SignInConfig } from '../../../adapters/console/config.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

export function signInConfig(
  issuer: string,
  port: number,
  members: Partial<SignInConfig> = {},
): SignInConfig {
  return {
    issuer,
    clientId: 'parley-console',
    clientSecret: { reveal: () => 'a secret of the client, long enough' },
    scopes: ['openid', 'profile', 'email'],
    claims: { name: 'name', email: 'email', groups: 'groups' },
    trustEmail: false,
    redirectUri: `http://127.0.0.1:${port}/console/sign-in/callback`,
    pageAddress: `http://127.0.0.1:${port}/`,
    ...members,
  };
}

export const openSignInRig = (signIn: SignInConfig, options: RigOptions = {}): Promise<Rig> =>
  openRig({
    port: Number(new URL(signIn.redirectUri).port),
    ...options,
    config: { signIn, ...options.config },
  });

/** Signs in with a new browser, and returns the browser. */
export async function signIn(rig: Rig, browser = new Browser()): Promise<Browser> {
  const visit = await browser.follow(
    `${base(rig)}/console/sign-in/start`,
    (next) => next === `${base(rig)}/`,
  );
  if (visit.location !== `${base(rig)}/`)
    throw new Error(`signed in nowhere: ${visit.status} ${visit.location} ${visit.text}`);
  return browser;
}

export const base = (rig: Rig): string => `http://127.0.0.1:${rig.port}`;
