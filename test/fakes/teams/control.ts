/** Control routes of a fake that runs as a separate process. Requests and responses are JSON. */

import type { IncomingMessage } from 'node:http';
import { type Route, readBody } from '../listen.ts';
import type { FakeTeams } from './fake.ts';
import type { Fault } from './faults.ts';
import { isJson, type Json, list, number, text } from './read.ts';
import { visibleText } from './visible/text.ts';

type Control = (fake: FakeTeams, asked: Json) => unknown;

/** Returns the items with ids above `since`. */
const after = <Item extends { readonly id: number }>(items: readonly Item[], asked: Json): readonly Item[] =>
  items.filter(({ id }) => id > Number(asked.since ?? 0));

const controls: Readonly<Record<string, Control>> = {
  'GET state': (fake) => ({
    url: fake.url,
    services: fake.services,
    app: { ...fake.app, secrets: [...fake.app.secrets] },
    now: fake.world.clock.now(),
    tenants: [...fake.world.tenants.values()].map(({ id, people, conversations }) => ({
      id,
      serviceUrl: fake.serviceUrl(id),
      people: [...people.values()].map(({ aadObjectId, name }) => ({ id: aadObjectId, name })),
      conversations: [...conversations.values()].map(({ id: its, kind }) => ({ id: its, kind })),
    })),
  }),
  'GET log': (fake, asked) => ({ now: fake.world.clock.now(), calls: after(fake.log.calls, asked) }),
  'GET violations': (fake) => fake.log.violations,
  'GET deliveries': (fake, asked) =>
    after(fake.deliveries, asked).map(({ id, activity, attempts }) => ({ id, activity, attempts })),
  'GET screen': (fake, asked) => fake.screen(text(asked, 'conversation') ?? '').map(withText),
  'POST clear': (fake) => {
    fake.log.clear();
    fake.deliveries.length = 0;
  },
  /** Creates channels, chats and people in a tenant: `{ tenant, channels: 20, chats: 20, people: 20 }`. */
  'POST rooms': (fake, asked) => {
    const tenant = fake.tenant(text(asked, 'tenant') ?? 0);
    const some = (name: string) => Array.from({ length: number(asked, name) ?? 0 });
    const people = some('people').map(() => tenant.person());
    const team = tenant.team();
    return {
      people: people.map(({ aadObjectId }) => aadObjectId),
      chats: some('chats').map(() => tenant.chat({ members: people }).id),
      channels: some('channels').map(() => team.channel().id),
      personal: people.map((person) => person.dm().id),
    };
  },
  'POST tenant': (fake) => ({ id: fake.addTenant().id }),
  /** Sends a person's message, with a mention unless `plain`: `{ tenant, conversation, person, text, thread, plain }`. */
  'POST say': (fake, asked) => {
    const tenant = fake.tenant(text(asked, 'tenant') ?? 0);
    const person = tenant.known(text(asked, 'person') ?? '');
    const place = tenant.state.conversations.get(text(asked, 'conversation') ?? '') ?? person.dm();
    const thread = text(asked, 'thread');
    const said = asked.plain === true || place.kind === 'personal' ? person.says : person.mentions;
    const { message } = said(place, text(asked, 'text') ?? '', thread === undefined ? {} : { thread });
    return { id: message.id, conversation: place.id };
  },
  'POST deliver': (fake, asked) => fake.deliverTo(text(asked, 'to') ?? ''),
  'POST fault': (fake, asked) => {
    const faults = list(asked, 'faults');
    for (const fault of faults.length > 0 ? faults : [asked]) fake.plant(fault as unknown as Fault);
  },
  'POST faults-off': (fake) => fake.clearFaults(),
  'POST latency': (fake, asked) => fake.setLatency(number(asked, 'ms') ?? 0),
};

const withText = (seen: ReturnType<FakeTeams['screen']>[number]): Json => ({
  ...seen,
  visible: visibleText(seen),
});

export const controlRoute =
  (fake: FakeTeams): Route =>
  async (request, response, url) => {
    const control = controls[`${request.method ?? 'GET'} ${url.pathname.slice('/__fake/'.length)}`];
    const asked = { ...Object.fromEntries(url.searchParams), ...(await bodyOf(request)) };
    response.writeHead(control === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(control?.(fake, asked) ?? {}));
  };

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const body = (await readBody(request)).toString('utf8');
  const value: unknown = body === '' ? {} : JSON.parse(body);
  return isJson(value) ? value : {};
}
