/** What the bridge does for one adapter. */

import type { Log } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { IntakeDesk } from '../core/intake.ts';
import type { Directory } from '../core/routing.ts';
import { BridgeError } from '../errors.ts';
import type { AdapterHost, AgentCard, ChannelAdapter, Keyed } from '../kit.ts';
import type { Store } from '../store/index.ts';
import { sealKeyed } from '../store/sealed.ts';
import type { Observers } from './observers.ts';
import { openMedia, type Web } from './web.ts';

export interface HostParts {
  readonly adapter: ChannelAdapter;
  readonly intake: IntakeDesk;
  readonly directory: Directory;
  readonly observers: Observers;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly web: Web | undefined;
  /** The key of what is encrypted on disk. */
  readonly sealingKey: () => Uint8Array;
}

export function makeHost(parts: HostParts): AdapterHost {
  const { adapter, intake, directory, observers, store, log, clock, web } = parts;
  const served = (): Web => {
    if (web !== undefined) return web;
    throw new BridgeError('internal', `The channel "${adapter.name}" needs the HTTP server, which is off.`);
  };
  const cards = [...directory.agents.values()].map(
    ({ name, description, gateway }): AgentCard => ({ name, description, seesImages: gateway.sees.images }),
  );
  return {
    intake,
    mount: (path, handler) => served().mount(path, handler),
    link: (media, from) => `/media/${served().links.seal(media, from)}`,
    receipt: observers.journal.receipt,
    agents: () => cards,
    state: store.keyed(`adapter ${adapter.name}`),
    secrets: sealed(`secrets ${adapter.name}`, parts),
    reply: async () => undefined,
    openMedia: (media, { agent, account }, signal) =>
      openMedia(directory, { agent, ref: media.ref, ...(account !== undefined && { account }) }, signal),
    log,
    clock,
  };
}

/** Encrypted state of a namespace. */
function sealed(namespace: string, { store, sealingKey: key, log }: HostParts): Keyed {
  return sealKeyed(store.keyed(namespace), { namespace, key, log });
}
