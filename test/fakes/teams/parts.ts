/** Data that the parts of the fake share. */

import type { Faults } from './faults.ts';
import type { Limiter } from './limits.ts';
import type { Log } from './log.ts';
import type { Login } from './tokens/login.ts';
import type { World } from './world.ts';

/** `split`: an activity with a text and attachments becomes several messages. `together`: it becomes one message. */
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
  /** Address of the file host. */
  readonly filesUrl: string;
  readonly graphUrl: string;
  /** Address of a foreign host that the bridge must never call. */
  readonly elsewhere: string;
  /** Returns the tenant in which the app is registered. */
  home(): string;
}

/** Returns the serviceUrl of a tenant's activities. */
export const serviceUrlOf = ({ url }: Pick<Server, 'url'>, tenant: string): string =>
  `${url}/emea/${tenant}/`;
