/** The interface of the fake for tests. */

import type { Clock } from '../../../src/core/clock.ts';
import type { Deliverer, RedeliveryOptions } from './deliver/deliver.ts';
import type { Fault, PlantedFault } from './faults.ts';
import type { Limiter, LimitOptions } from './limits.ts';
import type { Log } from './log.ts';
import type { TextBesideCards } from './parts.ts';
import type { FakeTenant } from './people/tenant.ts';
import type { Conversation, Message } from './shapes.ts';
import type { Inbound } from './tokens/inbound.ts';
import type { Login } from './tokens/login.ts';
import type { Seen } from './visible/screen.ts';
import type { App, TenantOptions, World } from './world.ts';

export interface FakeTeamsOptions {
  readonly port?: number;
  /** Address at which the bridge reaches the fake, if a proxy is in between. */
  readonly address?: string;
  readonly clock?: Clock;
  /** The tenants; default: one. The app is registered in the first. */
  readonly tenants?: readonly TenantOptions[];
  readonly limits?: LimitOptions;
  /** Milliseconds before every response of the Bot Connector; default: 0. */
  readonly latencyMs?: number;
  /** The bot's messaging endpoint: `…/api/messages`. */
  readonly deliverTo?: string;
  readonly redelivery?: RedeliveryOptions;
  /** `split`: a text and a card become two messages, as Microsoft documents (default). `together`: they stay one. */
  readonly textBesideCards?: TextBesideCards;
  readonly seed?: number;
  /** The app package; default: the manifest in the repository. */
  readonly app?: Uint8Array;
}

/** Addresses of Microsoft's services, for the bridge's settings. */
export interface FakeServices {
  readonly login: string;
  readonly openId: string;
  readonly connectors: readonly string[];
  readonly attachments: readonly string[];
  readonly graph: string;
}

export interface FakeTeams {
  /** Address of the Bot Connector and of the login service. */
  readonly url: string;
  readonly services: FakeServices;
  readonly app: App;
  readonly world: World;
  readonly log: Log;
  readonly login: Login;
  readonly limiter: Limiter;
  readonly inbound: Inbound;
  readonly deliveries: Deliverer['deliveries'];
  readonly events: Deliverer;
  deliverTo(address: string): void;
  /** Replaces the app by the one in the package. Throws an error if Teams would refuse the upload. */
  upload(app: Uint8Array): void;
  /** Finds a tenant by its position or its id. */
  tenant(which?: number | string): FakeTenant;
  addTenant(options?: TenantOptions): FakeTenant;
  /** Returns the serviceUrl in a tenant's activities, to which the app sends its calls. */
  serviceUrl(tenant?: string): string;
  plant(fault: Fault): PlantedFault;
  clearFaults(): void;
  setLatency(ms: number): void;
  /** Returns all messages including deleted ones, oldest first. */
  messages(conversation: Conversation | string): readonly Message[];
  /** Returns the visible messages, oldest first. */
  screen(conversation: Conversation | string): readonly Seen[];
  /** A foreign host that the bridge must never call: its `url`, and the requests that it received. */
  readonly elsewhere: Elsewhere;
  close(): Promise<void>;
}

export interface Elsewhere {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: NodeJS.Dict<string | string[]>;
  }[];
}
