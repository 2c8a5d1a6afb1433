/** Microsoft's services for a bot in Teams, for tests and benchmarks. See README.md. */

import { systemClock } from '../../../src/clock.ts';
import { listen, type Route } from '../listen.ts';
import { seeded } from '../seeded.ts';
import { connectorRoute } from './connector/route.ts';
import { createDeliverer } from './deliver/deliver.ts';
import type { Elsewhere, FakeTeams, FakeTeamsOptions } from './fake.ts';
import { createFaults } from './faults.ts';
import { filesRoute } from './files/files.ts';
import { graphRoute } from './graph/route.ts';
import { createLimiter } from './limits.ts';
import { createLog } from './log.ts';
import { readManifest, unpacked } from './manifest.ts';
import { type Server, serviceUrlOf } from './parts.ts';
import { tenantHandle } from './people/tenant.ts';
import type { Conversation } from './shapes.ts';
import { clientsSee } from './sign-on/clients.ts';
import { createInbound } from './tokens/inbound.ts';
import { createLogin, identityRoute, loginRoute, openIdRoute } from './tokens/login.ts';
import { screenOf } from './visible/screen.ts';
import { addTenant, createWorld } from './world.ts';

export type { Attempt, Delivery } from './deliver/deliver.ts';
export type { FakeServices, FakeTeams, FakeTeamsOptions } from './fake.ts';
export { closingCodes, type Fault, sporadic } from './faults.ts';
export type { CallRecord, Violation } from './log.ts';
export type { FakePerson } from './people/person.ts';
export type { Heard } from './people/say.ts';
export type { FakeTeam, FakeTenant } from './people/tenant.ts';
export type { Conversation, Message } from './shapes.ts';
export { signInCardIn } from './sign-on/card.ts';
export { type BadPersonToken, badPersonToken, badPersonTokens } from './sign-on/tokens.ts';
export { type Certificate, makeCertificate } from './tokens/certificate.ts';
export { type BadToken, badTokens } from './tokens/inbound.ts';
export { keys as signingKeys } from './tokens/keys.ts';
export type { Seen } from './visible/screen.ts';
export { visibleText } from './visible/text.ts';

export async function startFakeTeams(options: FakeTeamsOptions = {}): Promise<FakeTeams> {
  const { clock = systemClock, tenants = [{}], latencyMs = 0, port = 0, seed = 1 } = options;
  const world = createWorld(clock);
  if (options.app !== undefined) world.manifest = readManifest(unpacked(options.app));
  for (const each of tenants) addTenant(world, each);
  const [elsewhere, closeElsewhere] = await openElsewhere();
  const server: Server = {
    world,
    log: createLog(),
    limiter: createLimiter(clock, options.limits),
    faults: createFaults(clock, seeded(seed)),
    login: createLogin(),
    clients: new Map(),
    posted: () => undefined,
    latencyMs,
    textBesideCards: options.textBesideCards ?? 'split',
    url: '',
    filesUrl: '',
    graphUrl: '',
    elsewhere: elsewhere.url,
    home: () => [...world.tenants.keys()][0] ?? '',
  };
  const routes = routesOf(server);
  const listening = await listen(routes, port);
  server.url = options.address ?? listening.url;
  const files = await listen(new Map([['/', filesRoute(server)]]), 0);
  server.filesUrl = files.url;
  const graph = await listen(new Map([['/v1.0/', graphRoute(server)]]), 0);
  server.graphUrl = graph.url;
  const inbound = createInbound(world, elsewhere.url, () => Math.floor(clock.now() / 1_000));
  const deliverer = createDeliverer(world, inbound, options.redelivery);
  deliverer.use(options.deliverTo);
  server.posted = (tenant, conversation, message) => {
    const person = tenant.people.get(conversation.partner ?? message.onlyFor ?? '');
    const scene = { server, tenant, deliver: deliverer.deliver };
    if (person !== undefined) clientsSee(message, { scene, person, conversation });
  };
  return handle(server, { inbound, deliverer, elsewhere }, async () => {
    deliverer.close();
    await Promise.all([listening.close(), files.close(), graph.close(), closeElsewhere()]);
  });
}

const routesOf = (server: Server): Map<string, Route> =>
  new Map([
    ['/', loginRoute(server)],
    ['/emea/', connectorRoute(server)],
    ['/v1/.well-known/', openIdRoute(server)],
    ['/metadata/identity/oauth2/token', identityRoute(server)],
    ['/msi/token', identityRoute(server)],
  ]);

async function openElsewhere(): Promise<[Elsewhere, () => Promise<void>]> {
  const requests: Elsewhere['requests'] = [];
  const listening = await listen(
    new Map([
      [
        '/',
        ({ method = '', url = '', headers }, response) => {
          requests.push({ method, path: url, headers });
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        },
      ],
    ]),
    0,
  );
  return [{ url: listening.url, requests }, listening.close];
}

interface Parts {
  readonly inbound: FakeTeams['inbound'];
  readonly deliverer: FakeTeams['events'];
  readonly elsewhere: Elsewhere;
}

function handle(
  server: Server,
  { inbound, deliverer, elsewhere }: Parts,
  close: () => Promise<void>,
): FakeTeams {
  const { world, faults, url } = server;
  const host = new URL(url).host;
  const scene = (id: string) => {
    const tenant = world.tenants.get(id);
    if (tenant === undefined) throw new Error(`The fake has no tenant ${id}.`);
    return tenantHandle(server, tenant, deliverer.deliver);
  };
  const holder = (given: Conversation | string) => {
    const id = typeof given === 'string' ? given : given.id;
    for (const tenant of world.tenants.values()) {
      const conversation = tenant.conversations.get(id);
      if (conversation !== undefined && (typeof given === 'string' || conversation === given))
        return { tenant, conversation };
    }
    throw new Error(`The fake has no conversation ${id}.`);
  };
  return {
    url,
    services: {
      login: url,
      openId: url,
      connectors: [host],
      attachments: [host, new URL(server.filesUrl).host],
      // Graph has a host name of its own, so that tokens for other services are not valid there.
      graph: server.graphUrl,
    },
    app: world.app,
    world,
    log: server.log,
    login: server.login,
    limiter: server.limiter,
    inbound,
    deliveries: deliverer.deliveries,
    events: deliverer,
    deliverTo: deliverer.use,
    upload: (app) => {
      world.manifest = readManifest(unpacked(app));
    },
    tenant: (which = 0) =>
      scene(typeof which === 'string' ? which : ([...world.tenants.keys()][which] ?? '')),
    addTenant: (options) => scene(addTenant(world, options).id),
    serviceUrl: (tenant = server.home()) => serviceUrlOf(server, tenant),
    plant: faults.plant,
    clearFaults: faults.clear,
    setLatency: (ms) => {
      server.latencyMs = ms;
    },
    messages: (conversation) => holder(conversation).conversation.messages,
    screen: (given) => {
      const { tenant, conversation } = holder(given);
      return screenOf(tenant, conversation);
    },
    elsewhere,
    close,
  };
}
