/** A fake Slack for tests and benches. See README.md. */

import { systemClock } from '../../../src/clock.ts';
import { listen, type Route } from '../listen.ts';
import { seeded } from '../seeded.ts';
import { inThread } from './call.ts';
import {
  createDeliverer,
  type Deliverer,
  httpTransport,
  type Targets,
  type Transport,
} from './events/deliver.ts';
import { envelope, isSent } from './events/envelope.ts';
import { createSpecial } from './events/special.ts';
import type { Destination, FakeSlack, FakeSlackOptions } from './fake.ts';
import { createFaults } from './faults.ts';
import { fileRoute, uploadRoute } from './files/routes.ts';
import { responseRoute } from './interact/response-url.ts';
import { createLimiter } from './limits.ts';
import { createLog } from './log.ts';
import { shownStatus } from './methods/sessions.ts';
import { grantsOf, newCode } from './oauth/grants.ts';
import { authorizeRoute, type Consent } from './oauth/routes.ts';
import type { Server } from './parts.ts';
import { workspaceHandle } from './people/workspace.ts';
import { apiRoute } from './server.ts';
import { type Channel, type Message, threadKey } from './shapes.ts';
import { createHub, type SocketHub } from './socket/hub.ts';
import { expireStream, setStreamLimits } from './stream/life.ts';
import { addWorkspace, createWorld, demoApp, type World } from './world.ts';

export type { Attempt, Delivery } from './events/deliver.ts';
export { sign } from './events/sign.ts';
export type { FakeSlack, FakeSlackOptions } from './fake.ts';
export type { Fault } from './faults.ts';
export type { CallRecord, Violation } from './log.ts';
export { manifestScopes, scopesWithEmail } from './manifest.ts';
export type { FakePerson, FakeWorkspace } from './people/workspace.ts';
export type { Channel, Message, SharedFile, View } from './shapes.ts';
export { type LiveControl, liveControls } from './visible/live.ts';
export { visibleText } from './visible/text.ts';
export { demoApp } from './world.ts';

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const { clock = systemClock, workspaces = [{}], latencyMs = 0, port = 0, seed = 1 } = options;
  const world = createWorld(clock, demoApp, options);
  if (options.subscriptions !== undefined) world.subscriptions = new Set(options.subscriptions);
  setStreamLimits(world, options.stream ?? {});
  for (const each of workspaces) addWorkspace(world, each);
  const deliverer = createDeliverer(world, options.deliveryTimes);
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
  const consent: Consent = {};
  const routes = routesOf(state, consent);
  const listening = await listen(routes, port);
  state.url = options.address ?? listening.url;
  const socket = createHub(world, listening.http);
  if (options.deliverTo !== undefined) deliverer.use(transportOf(world, options.deliverTo, socket));
  // Loaded only here, because most tests do not need an OpenID provider.
  const openId: Ends['openId'] = async (redirects) =>
    (await import('./oauth/openid.ts')).openOpenId(state, routes, redirects);
  return handle(state, deliverer, { socket, consent, openId, close: listening.close });
}

const transportOf = (world: World, target: Destination, socket: SocketHub): Transport =>
  target === 'socket' ? socket.transport : httpTransport(world, targetsOf(target));

interface Ends {
  readonly socket: SocketHub;
  readonly consent: Consent;
  readonly openId: FakeSlack['oauth']['openId'];
  close(): Promise<void>;
}

const targetsOf = (target: string | Targets): Targets =>
  typeof target === 'string' ? { events: target } : target;

const routesOf = (server: Server, consent: Consent): Map<string, Route> =>
  new Map([
    ['/api/', apiRoute(server)],
    ['/files-pri/', fileRoute(server)],
    ['/upload/v1/', uploadRoute(server)],
    ['/response/', responseRoute(server)],
    ['/oauth/v2/authorize', authorizeRoute(server, consent)],
  ]);

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

function handle(server: Server, deliverer: Deliverer, { socket, consent, openId, close }: Ends): FakeSlack {
  const { world, faults } = server;
  const scene = (id: string) => {
    const workspace = world.workspaces.get(id);
    if (workspace === undefined) throw new Error(`The fake has no workspace ${id}.`);
    return workspaceHandle({ world, workspace, url: server.url }, deliverer);
  };
  const shown = (id: string, select: (channel: Channel) => readonly Message[]): readonly Message[] => {
    const channels = [...world.workspaces.values()].flatMap(({ channels: all }) => all.get(id) ?? []);
    const all = channels.flatMap(select);
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
    deliverTo: (target) => deliverer.use(transportOf(world, target, socket)),
    sends: createSpecial(world, deliverer),
    socket,
    oauth: {
      consent,
      openId,
      code: (given) => newCode(world, given),
      rotate: (on = true) => {
        grantsOf(world).rotate = on;
      },
    },
    workspace: (which = 0) =>
      scene(typeof which === 'string' ? which : ([...world.workspaces.keys()][which] ?? '')),
    addWorkspace: (given) => scene(addWorkspace(world, given).id),
    pressersAreOf: (team) => {
      world.pressersAreOf = team;
    },
    plant: faults.plant,
    clearFaults: faults.clear,
    setLatency: (ms) => {
      server.latencyMs = ms;
    },
    messages: (channel) => shown(channel, ({ messages }) => messages),
    thread: (channel, ts) => shown(channel, (found) => inThread(found, ts)),
    status: (channel, threadTs) => {
      const holder = [...world.workspaces.values()].find(({ channels }) => channels.has(channel));
      if (holder === undefined) throw new Error(`The fake has no channel ${channel}.`);
      return shownStatus(world, holder, threadKey(channel, threadTs));
    },
    close: async () => {
      deliverer.close();
      socket.close();
      await close();
    },
  };
}
