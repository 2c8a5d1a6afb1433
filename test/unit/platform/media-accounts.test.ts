/** Tests that an opened image is kept for the account that opened it, and for no other. */

import { expect, it } from 'vitest';
import { type AgentContext, openAgentMedia } from '../../../src/platform/gateways/agent-context.ts';
import { createByteCache } from '../../../src/platform/media/images.ts';
import { createTokenCache } from '../../../src/platform/tokens.ts';
import { Secret } from '../../../src/secret.ts';
import { PNG } from '../../fakes/pixel.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { answerOf, wiringOf } from './wiring.ts';

const MINUTE_MS = 60_000;
const signal = new AbortController().signal;

it('an image is fetched once for each account and agent within 10 minutes', async () => {
  const clock = createVirtualClock();
  let fetched = 0;
  const send = async ({ url }: { url: string }) => {
    const isImage = url.includes('ekb-temporary-file/');
    fetched += isImage ? 1 : 0;
    const data = url.endsWith('client_token')
      ? { access_token: 't', token_type: 'bearer', expires_in: 7_200 }
      : [{ id: '1', link: '/webapi/knowledge/v1/file/ekb-temporary-file/x' }];
    return answerOf(isImage ? PNG : JSON.stringify({ success: true, data }));
  };
  const wiring = wiringOf(send, { clock });
  const signIn = { wiring, tokens: createTokenCache(clock, signal), log: quiet };
  const secret = new Secret('s');
  const credential = { kind: 'client-token', clientId: 'c', secret, username: 'service' } as const;
  const cache = createByteCache(clock);
  const open = (account: string | undefined, scope = 'one') => {
    const options = { interface: 'lite-token', credential } as const;
    const context: AgentContext = { wiring, signIn, cache, options, scope, fallback: () => undefined };
    const call = { signal, ...(account !== undefined && { account }) };
    return openAgentMedia(context, { kind: 'file-id', id: '1' }, call);
  };
  const openAll = async () => {
    for (const account of [undefined, 'U1', 'U12', 'u1'])
      for (const scope of ['one', 'two']) await open(account, scope);
  };
  await openAll();
  await openAll();
  expect(fetched).toBe(8);
  await clock.pass(10 * MINUTE_MS - 1);
  await openAll();
  expect(fetched).toBe(8);
  await clock.pass(1);
  await openAll();
  expect(fetched).toBe(16);
});
