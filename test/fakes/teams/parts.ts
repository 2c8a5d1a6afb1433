/** What the parts of the fake share. */

import type { Faults } from './faults.ts';
import type { Limiter } from './limits.ts';
import type { Log } from './log.ts';
import type { Login } from './tokens/login.ts';
import type { World } from './world.ts';

/** Whether Teams keeps text and attachments of one activity in one message. */
export type TextBesideCards = 'split' | 'together';

export interface Server {
  readonly world: World;
  readonly log: Log;
  readonly limiter: Limiter;
  readonly faults: Faults;
  readonly login: Login;
  readonly textBesideCards: TextBesideCards;
  /** Milliseconds before every answer of the Bot Connector. */
  latencyMs: number;
  /** Address of the Bot Connector and of the login service. */
  readonly url: string;
  /** Address of the host that keeps files. */
  readonly filesUrl: string;
  readonly graphUrl: string;
  /** A host that no bridge has any business with. */
  readonly elsewhere: string;
  /** The tenant that the app is registered in. */
  home(): string;
}

/** Where a tenant's conversations are: the serviceUrl of its activities. */
export const serviceUrlOf = ({ url }: Pick<Server, 'url'>, tenant: string): string =>
  `${url}/emea/${tenant}/`;
