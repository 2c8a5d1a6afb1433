/** A bridge's services for the XMPP adapter alone: everything is allowed, and nothing is asked. */

import type { AdapterHost } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';
import { memoryKeyed } from '../../unit/slack/keyed.ts';

export function xmppHost(over: Partial<AdapterHost> = {}): AdapterHost {
  const permit = { answered: () => undefined };
  const host: Partial<AdapterHost> = {
    state: memoryKeyed(),
    log: quiet,
    clock: { now: Date.now, wait },
    intake: async () => ({ kind: 'nothing' }),
    agents: () => [],
    mentionRule: () => 'alone',
    sourceLink: () => undefined,
    permit: async () => permit,
    refusal: () => undefined,
    pressRefusal: async () => undefined,
    ...over,
  };
  return host as AdapterHost;
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
