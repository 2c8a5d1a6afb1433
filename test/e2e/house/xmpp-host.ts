/** A bridge's services for the XMPP adapter alone: everything is allowed, and nothing is asked. */

import type { AdapterHost, Keyed } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';

export function xmppHost(over: Partial<AdapterHost> = {}): AdapterHost {
  const permit = { answered: () => undefined };
  const host: Partial<AdapterHost> = {
    state: memoryState(),
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

function memoryState(): Keyed {
  const values = new Map<string, unknown>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
    async change(key, next) {
      const value = next(values.get(key));
      if (value !== undefined) values.set(key, value);
      return value !== undefined;
    },
  };
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
