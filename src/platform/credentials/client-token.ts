import { call } from '../client.ts';
import { clientToken } from '../operations/auth.ts';
import type { Issued } from '../tokens.ts';
import type { AgentCredential, SignInContext } from './credential.ts';

type ClientToken = Extract<AgentCredential, { kind: 'client-token' }>;

/** A token of the lite interface; its life is told in seconds (platform contract AUT-6, AUT-7). */
export async function obtainClientToken(
  { wiring }: SignInContext,
  credential: ClientToken,
  username: string,
  signal: AbortSignal,
): Promise<Issued> {
  const request = { clientId: credential.clientId, clientSecret: credential.secret.reveal(), username };
  const issued = await call(wiring, clientToken, request, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 1000 };
}
