/** A Slack of our own, for tests and benches. See README.md. */

import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { createDeliverer, type Deliverer, httpTransport, type Targets } from './events/deliver.ts';
import { envelope, isSent } from './events/envelope.ts';
import { createFaults, type Fault, type PlantedFault, seeded } from './faults.ts';
import { createLimiter, type LimitOptions } from './limits.ts';
import { createLog, type Log } from './log.ts';
import type { Server } from './parts.ts';
import { type FakeWorkspace, workspaceHandle } from './people/workspace.ts';
import { apiRoute, listen, type Route } from './server.ts';
import type { Message } from './shapes.ts';
import { expireStream, type StreamLimits, setStreamLimits } from './stream/life.ts';
import { type App, addWorkspace, createWorld, type WorkspaceOptions, type World } from './world.ts';

export { sign } from './events/sign.ts';
export type { CallRecord, Violation } from './log.ts';
export type { Message } from './shapes.ts';
export { type LiveControl, liveControls } from './visible/live.ts';
export { visibleText } from './visible/text.ts';
export { demoApp, manifestScopes } from './world.ts';

export interface FakeSlackOptions {
  readonly port?: number;
  readonly clock?: Clock;
  /** One workspace with the manifest's scopes unless told otherwise. */
  readonly workspaces?: readonly WorkspaceOptions[];
  readonly limits?: LimitOptions;
  readonly stream?: Partial<StreamLimits>;
  /** Milliseconds before every answer of the Web API; 0. */
  readonly latencyMs?: number;
  /** Where events go: the app's address, `…/slack/events`. */
  readonly deliverTo?: string | Targets;
  /** False: the app's own posts do not come back to it as events. */
  readonly echoes?: boolean;
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
  deliverTo(target: string | Targets): void;
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
  close(): Promise<void>;
}

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const { clock = systemClock, workspaces = [{}], latencyMs = 0, port = 0, seed = 1 } = options;
  const world = createWorld(clock);
  setStreamLimits(world, options.stream ?? {});
  for (const each of workspaces) addWorkspace(world, each);
  const deliverer = createDeliverer(world);
  wireEvents(world, deliverer, options.echoes ?? true);
  const faults = createFaults(clock, seeded(seed));
  const state = {
    world,
    log: createLog(),
    limiter: createLimiter(clock, options.limits),
    faults,
    latencyMs,
    url: '',
  };
  const listening = await listen(routesOf(state), port);
  state.url = listening.url;
  if (options.deliverTo !== undefined) deliverer.use(httpTransport(world, targetsOf(options.deliverTo)));
  return handle(state, deliverer, async () => {
    deliverer.close();
    await listening.close();
  });
}

const targetsOf = (target: string | Targets): Targets =>
  typeof target === 'string' ? { events: target } : target;

const routesOf = (server: Server): ReadonlyMap<string, Route> => new Map([['/api/', apiRoute(server)]]);

function wireEvents(world: World, deliverer: Deliverer, echoes: boolean): void {
  world.emit = (outgoing) => {
    const { event } = outgoing;
    if (!echoes && (event.bot_id !== undefined || isOwnChange(world, outgoing))) return;
    if (isSent(world, outgoing)) deliverer.deliver('event', envelope(world, outgoing));
  };
}

function isOwnChange(world: World, { team, event }: Parameters<World['emit']>[0]): boolean {
  const inner = (event.message ?? event.previous_message) as { readonly user?: string } | undefined;
  return inner?.user !== undefined && inner.user === world.workspaces.get(team)?.botUser;
}

function handle(server: Server, deliverer: Deliverer, close: () => Promise<void>): FakeSlack {
  const { world, faults } = server;
  const scene = (id: string) => {
    const workspace = world.workspaces.get(id);
    if (workspace === undefined) throw new Error(`The fake has no workspace ${id}.`);
    return workspaceHandle({ world, workspace, url: server.url });
  };
  const inChannel = (id: string): readonly Message[] => {
    const channels = [...world.workspaces.values()].flatMap(({ channels: all }) => all.get(id) ?? []);
    const all = channels.flatMap(({ messages }) => messages);
    for (const message of all) expireStream(world, message);
    return all.filter(({ deletedAt }) => deletedAt === undefined);
  };
  return {
    url: server.url,
    apiUrl: `${server.url}/api/`,
    app: world.app,
    world,
    log: server.log,
    deliveries: deliverer.deliveries,
    events: deliverer,
    deliverTo: (target) => deliverer.use(httpTransport(world, targetsOf(target))),
    workspace: (which = 0) =>
      scene(typeof which === 'string' ? which : ([...world.workspaces.keys()][which] ?? '')),
    addWorkspace: (given) => scene(addWorkspace(world, given).id),
    plant: faults.plant,
    clearFaults: faults.clear,
    setLatency: (ms) => {
      server.latencyMs = ms;
    },
    messages: inChannel,
    thread: (channel, ts) => inChannel(channel).filter((each) => each.ts === ts || each.threadTs === ts),
    close,
  };
}
