import { call } from '../client.ts';
import { loginWithIdp } from '../operations/auth.ts';
import type { Issued } from '../tokens.ts';
import type { AgentCredential, SignInContext } from './credential.ts';

type Idp = Extract<AgentCredential, { kind: 'idp' }>;

/** An Open API token; its life is told in minutes (platform contract AUT-8, AUT-12). */
export async function obtainIdpToken(
  { wiring }: SignInContext,
  credential: Idp,
  signal: AbortSignal,
): Promise<Issued> {
  const token = (await credential.token()).reveal();
  const issued = await call(wiring, loginWithIdp, { token }, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 60_000 };
}
