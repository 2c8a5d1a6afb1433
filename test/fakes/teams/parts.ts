/** Data that the parts of the fake share. */

import type { Faults } from './faults.ts';
import type { Limiter } from './limits.ts';
import type { Log } from './log.ts';
import type { Conversation, Message, Tenant } from './shapes.ts';
import type { Clients } from './sign-on/clients.ts';
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
  /** What the Teams clients of a person do with a sign-in card, by directory id; default: they send a token. */
  readonly clients: Map<string, Clients>;
  /** Called when the app has posted a message. */
  posted: (tenant: Tenant, conversation: Conversation, message: Message) => void;
  readonly textBesideCards: TextBesideCards;
  /** Milliseconds before every response of the Bot Connector. */
  latencyMs: number;
  /** Address of the Bot Connector and of the login service. */
  url: string;
  /** Address of the file host. */
  filesUrl: string;
  graphUrl: string;
  /** Address of a foreign host that the bridge must never call. */
  readonly elsewhere: string;
  /** Returns the tenant in which the app is registered. */
  home(): string;
}

/** Returns the serviceUrl of a tenant's activities. */
export const serviceUrlOf = ({ url }: Pick<Server, 'url'>, tenant: string): string =>
  `${url}/emea/${tenant}/`;
