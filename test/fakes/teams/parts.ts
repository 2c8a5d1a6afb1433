/** Data that the parts of the fake share. */

import type { Faults } from './faults.ts';
import type { Limiter } from './limits.ts';
import type { Log } from './log.ts';
import type { Login } from './tokens/login.ts';
import type { World } from './world.ts';

/** Handling of an activity with a text and attachments: one message or several. */
export type TextBesideCards = 'split' | 'together';

export interface Server {
  readonly world: World;
  readonly log: Log;
  readonly limiter: Limiter;
  readonly faults: Faults;
  readonly login: Login;
  readonly textBesideCards: TextBesideCards;
  /** Milliseconds before every response of the Bot Connector. */
  latencyMs: number;
  /** Address of the Bot Connector and of the login service. */
  readonly url: string;
  /** Address of the host of files. */
  readonly filesUrl: string;
  readonly graphUrl: string;
  /** A foreign host that the bridge must never call. */
  readonly elsewhere: string;
  /** The tenant that the app is registered in. */
  home(): string;
}

/** Returns the serviceUrl of a tenant's activities. */
export const serviceUrlOf = ({ url }: Pick<Server, 'url'>, tenant: string): string =>
  `${url}/emea/${tenant}/`;
