/** The control routes of a fake in a separate process; requests and responses are JSON. */

import type { IncomingMessage } from 'node:http';
import { type Route, readBody } from '../listen.ts';
import { child, isJson, list, number, text } from './args.ts';
import type { FakeSlack } from './fake.ts';
import type { Fault } from './faults.ts';

import type { Json, Message } from './shapes.ts';
import { visibleText } from './visible/text.ts';

type Control = (fake: FakeSlack, asked: Json) => unknown;

/** Returns the items with ids above `since`. */
const after = <Item extends { readonly id: number }>(items: readonly Item[], asked: Json): readonly Item[] =>
  items.slice(Number(text(asked, 'since') ?? 0));

const controls: Readonly<Record<string, Control>> = {
  'GET state': (fake) => ({
    url: fake.url,
    apiUrl: fake.apiUrl,
    app: fake.app,
    now: fake.world.clock.now(),
    workspaces: [...fake.world.workspaces.values()].map(({ id, token, botUser, botId }) => ({
      id,
      token,
      botUser,
      botId,
    })),
  }),
  'GET log': (fake, asked) => ({ now: fake.world.clock.now(), calls: after(fake.log.calls, asked) }),
  'GET violations': (fake) => fake.log.violations,
  'GET deliveries': (fake, asked) =>
    after(fake.deliveries, asked).map(({ id, kind, payload, attempts }) => ({ id, kind, payload, attempts })),
  'GET messages': (fake, asked) => fake.messages(text(asked, 'channel') ?? '').map(plain),
  'POST clear': (fake) => {
    fake.log.clear();
    fake.deliveries.length = 0;
  },
  /** Adds rooms and people to a workspace: `{ team, channels: 20, people: 20 }`. */
  'POST rooms': (fake, asked) => {
    const workspace = fake.workspace(text(asked, 'team') ?? 0);
    const some = (name: string) => Array.from({ length: number(asked, name) ?? 1 });
    return {
      channels: some('channels').map(() => workspace.channel().id),
      people: some('people').map(() => workspace.person().id),
    };
  },
  'POST workspace': (fake) => {
    const { id, token, botUser } = fake.addWorkspace();
    return { id, token, botUser };
  },
  /** Writes a mention of the app, or a plain message (`plain`): `{ team, channel, person, text, thread }`. */
  'POST say': (fake, asked) => {
    const workspace = fake.workspace(text(asked, 'team') ?? 0);
    const person = workspace.known(text(asked, 'person') ?? '');
    const thread = text(asked, 'thread');
    const said = asked.plain === true ? person.says : person.mentions;
    const options = thread === undefined ? {} : { thread };
    return { ts: said(text(asked, 'channel') ?? person.dm(), text(asked, 'text') ?? '', options).ts };
  },
  'POST deliver': (fake, asked) => {
    const to = child(asked, 'to');
    fake.deliverTo(
      to === undefined ? (text(asked, 'to') ?? '') : { events: text(to, 'events') ?? '', ...to },
    );
  },
  'POST fault': (fake, asked) => {
    for (const fault of list(asked, 'faults') ?? [asked]) fake.plant(fault as unknown as Fault);
  },
  'POST faults-off': (fake) => fake.clearFaults(),
  'POST latency': (fake, asked) => fake.setLatency(number(asked, 'ms') ?? 0),
};

/** Converts a message to JSON for another process, with its visible text. */
const plain = (message: Message): Json => ({
  ...message,
  visible: visibleText(message),
  files: message.files.map(({ id, name, mimetype, bytes }) => ({ id, name, mimetype, size: bytes.length })),
  reactions: Object.fromEntries([...message.reactions].map(([name, by]) => [name, [...by]])),
});

export const controlRoute =
  (fake: FakeSlack): Route =>
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
