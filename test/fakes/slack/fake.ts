/** The fake as a test holds it. */

import type { Clock } from '../../../src/core/clock.ts';
import type { Deliverer, Patience, Targets } from './events/deliver.ts';
import type { Special } from './events/special.ts';
import type { Fault, PlantedFault } from './faults.ts';
import type { LimitOptions } from './limits.ts';
import type { Log } from './log.ts';
import type { ShownStatus } from './methods/sessions.ts';
import type { CodeOptions } from './oauth/grants.ts';
import type { Consent } from './oauth/routes.ts';
import type { FakeWorkspace } from './people/workspace.ts';
import type { Message } from './shapes.ts';
import type { SocketHub } from './socket/hub.ts';
import type { StreamLimits } from './stream/life.ts';
import type { App, WorkspaceOptions, World } from './world.ts';

/** An address, addresses by kind, or `socket`. */
export type Destination = string | Targets;

export interface FakeSlackOptions {
  readonly port?: number;
  readonly clock?: Clock;
  /** One workspace with the manifest's scopes unless told otherwise. */
  readonly workspaces?: readonly WorkspaceOptions[];
  readonly limits?: LimitOptions;
  readonly stream?: Partial<StreamLimits>;
  /** Processing time of an uploaded file, in milliseconds; default 1,000. The file has no type before. */
  readonly digestMs?: number;
  /** Milliseconds in which a trigger id can be used; default 3,000. Longer where the machine may stall. */
  readonly triggerMs?: number;
  /** Milliseconds before every answer of the Web API; 0. */
  readonly latencyMs?: number;
  /** Where events go: the app's address, `…/slack/events`; or Socket Mode. */
  readonly deliverTo?: Destination;
  /** How long an event waits for its answer, and when it is sent again; as Slack unless told otherwise. */
  readonly patience?: Patience;
  /** False: the app's own posts do not come back to it as events. */
  readonly echoes?: boolean;
  /** The manifest's `bot_events`; without it the app gets them all. */
  readonly subscriptions?: readonly string[];
  readonly seed?: number;
}

export interface FakeSlack {
  /** Address of the server. */
  readonly url: string;
  /** What `SLACK_API_URL` is set to. */
  readonly apiUrl: string;
  readonly app: App;
  readonly world: World;
  readonly log: Log;
  readonly deliveries: Deliverer['deliveries'];
  readonly events: Deliverer;
  deliverTo(target: Destination): void;
  readonly sends: Special;
  readonly socket: SocketHub;
  readonly oauth: {
    /** What happens on the page where somebody agrees; may be changed. */
    readonly consent: Consent;
    /** A code as the browser brings it back. */
    code(options: CodeOptions): string;
    /** Tokens issued from now on expire after 12 hours and come with a refresh token. */
    rotate(on?: boolean): void;
  };
  /** By place in the order they were added, or by id. */
  workspace(which?: number | string): FakeWorkspace;
  addWorkspace(options?: WorkspaceOptions): FakeWorkspace;
  plant(fault: Fault): PlantedFault;
  clearFaults(): void;
  setLatency(ms: number): void;
  /** Every message of a room that is still there, oldest first; ephemeral ones have `onlyFor`. */
  messages(channel: string): readonly Message[];
  /** The root and its replies. */
  thread(channel: string, ts: string): readonly Message[];
  /** The status under a thread: `line` of the older method, `session` of agent sessions. */
  status(channel: string, threadTs: string): ShownStatus;
  close(): Promise<void>;
}
