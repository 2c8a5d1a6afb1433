/** The fake as a test holds it. */

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
  readonly clock?: Clock;
  /** One tenant unless told otherwise; the first is the one that the app is registered in. */
  readonly tenants?: readonly TenantOptions[];
  readonly limits?: LimitOptions;
  /** Milliseconds before every answer of the Bot Connector; 0. */
  readonly latencyMs?: number;
  /** The bot's messaging endpoint: `…/api/messages`. */
  readonly deliverTo?: string;
  readonly redelivery?: RedeliveryOptions;
  /** `split` is what Microsoft documents; and the default; `together` leaves it out. */
  readonly textBesideCards?: TextBesideCards;
  readonly seed?: number;
}

/** What the bridge is told of where Microsoft's services are. */
export interface FakeServices {
  readonly login: string;
  readonly openId: string;
  readonly connectors: readonly string[];
  readonly attachments: readonly string[];
  readonly graph: string;
}

export interface FakeTeams {
  /** Address of the Bot Connector, the login service and Graph. */
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
  /** By place in the order they were added, or by id. */
  tenant(which?: number | string): FakeTenant;
  addTenant(options?: TenantOptions): FakeTenant;
  /** Where a tenant's conversations are: the serviceUrl of its activities. */
  serviceUrl(tenant?: string): string;
  plant(fault: Fault): PlantedFault;
  clearFaults(): void;
  setLatency(ms: number): void;
  /** Every message, those that were deleted too, oldest first. */
  messages(conversation: Conversation | string): readonly Message[];
  /** What people see now, oldest first. */
  screen(conversation: Conversation | string): readonly Seen[];
  /** Requests to a host that no bridge has any business with: `url` and what came. */
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
