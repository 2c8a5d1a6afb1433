/** Creates the handler for corrections of answers, with the settings and the store of the bridge. */

import { createHash } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { AccountTable } from '../core/agents/access.ts';
import {
  type Corrections,
  type CorrectionsDeps,
  createCorrections,
} from '../core/corrections/corrections.ts';
import type { ChannelAdapter } from '../kit.ts';
import type { Store } from '../store/index.ts';
import { roomRules } from './engine.ts';

interface Shared extends Omit<CorrectionsDeps, 'policy' | 'room' | 'sent' | 'digest' | 'signal' | 'signsIn'> {
  readonly config: Config;
  readonly store: Store;
  readonly accounts: AccountTable;
  readonly channels: { readonly all: readonly Pick<ChannelAdapter, 'name' | 'abilities'>[] };
}

/** @param opened when this stack is disposed of, running calls are aborted */
export function makeCorrections(
  { config, store, accounts, channels, ...deps }: Shared,
  opened: AsyncDisposableStack,
): Corrections {
  const stopping = new AbortController();
  opened.defer(() => stopping.abort());
  return createCorrections({
    ...deps,
    policy: { ...config.identity, accounts },
    room: roomRules(config),
    signsIn: (channel) =>
      channels.all.some(({ name, abilities }) => name === channel && abilities.signIn !== undefined),
    sent: store.keyed('corrections'),
    digest: (text) => createHash('sha256').update(text).digest('base64url'),
    signal: stopping.signal,
  });
}
