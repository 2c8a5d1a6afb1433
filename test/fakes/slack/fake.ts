/** The fake's interface for tests. */

import type { Clock } from '../../../src/core/clock.ts';
import type { Deliverer, DeliveryTimes, Targets } from './events/deliver.ts';
import type { Special } from './events/special.ts';
import type { Fault, PlantedFault } from './faults.ts';
import type { LimitOptions } from './limits.ts';
import type { Log } from './log.ts';
import type { ShownStatus } from './methods/sessions.ts';
import type { CodeOptions } from './oauth/grants.ts';
import type { OpenId } from './oauth/openid.ts';
import type { Consent } from './oauth/routes.ts';
import type { FakeWorkspace } from './people/workspace.ts';
import type { Message } from './shapes.ts';
import type { SocketHub } from './socket/hub.ts';
import type { StreamLimits } from './stream/life.ts';
import type { App, WorkspaceOptions, World } from './world.ts';

/** Address for all events, addresses by kind of event, or `socket` for Socket Mode. */
export type Destination = string | Targets;

export interface FakeSlackOptions {
  readonly port?: number;
  /** Address at which the bridge reaches the fake, if a proxy is in between. */
  readonly address?: string;
  readonly clock?: Clock;
  /** Default: one workspace with the manifest's scopes. */
  readonly workspaces?: readonly WorkspaceOptions[];
  readonly limits?: LimitOptions;
  readonly stream?: Partial<StreamLimits>;
  /** Processing time of an uploaded file in milliseconds, default 1,000. Until then, the file has no type. */
  readonly processingMs?: number;
  /** Milliseconds for which a trigger id is valid; default 3,000. Set it higher if the machine may stall. */
  readonly triggerMs?: number;
  /** Delay of every response of the Web API, in milliseconds; default 0. */
  readonly latencyMs?: number;
  /** Destination of events: the app's address, `…/slack/events`, or Socket Mode. */
  readonly deliverTo?: Destination;
  /** Time limit for the response to an event, and the pauses before the event is repeated; default: as in Slack. */
  readonly deliveryTimes?: DeliveryTimes;
  /** False if the app's own posts are not sent back to it as events. */
  readonly echoes?: boolean;
  /** The app's `bot_events`; default: those of the manifest in the repository. */
  readonly subscriptions?: readonly string[];
  readonly seed?: number;
}

export interface FakeSlack {
  /** Address of the server. */
  readonly url: string;
  /** The value for `SLACK_API_URL`. */
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
    /** The result of the consent page; tests may change it before the page is requested. */
    readonly consent: Consent;
    /** Adds the OpenID sign-in. `redirects`: the redirect URLs in the app's settings. */
    openId(redirects: readonly string[]): Promise<OpenId>;
    /** Makes an authorization code, as the browser brings it back from the consent page. */
    code(options: CodeOptions): string;
    /** Tokens issued from now on expire after 12 hours and come with a refresh token. */
    rotate(on?: boolean): void;
  };
  /** Returns a workspace by its position (in order of creation) or by its id. */
  workspace(which?: number | string): FakeWorkspace;
  addWorkspace(options?: WorkspaceOptions): FakeWorkspace;
  /** Sets which team a press in an organization names as the person's; default: the person's home. */
  pressersAreOf(team: World['pressersAreOf']): void;
  plant(fault: Fault): PlantedFault;
  clearFaults(): void;
  setLatency(ms: number): void;
  /** All existing messages of a room, oldest first; ephemeral ones have `onlyFor`. */
  messages(channel: string): readonly Message[];
  /** The thread's first message and its replies. */
  thread(channel: string, ts: string): readonly Message[];
  /** The status under a thread: `line` is set by `assistant.threads.setStatus`, `session` by agent sessions. */
  status(channel: string, threadTs: string): ShownStatus;
  close(): Promise<void>;
}
