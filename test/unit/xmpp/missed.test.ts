/** Messages that the bridge missed are taken before those that arrive after its login. */

import { expect, test } from 'vitest';
import type { Commands } from '../../../adapters/xmpp/inbound/commands.ts';
import { createPrograms } from '../../../adapters/xmpp/inbound/programs.ts';
import { createReceiver } from '../../../adapters/xmpp/inbound/receiver.ts';
import { createSent } from '../../../adapters/xmpp/inbound/sent.ts';
import { createTurns } from '../../../adapters/xmpp/inbound/turns.ts';
import { CHAT, NS } from '../../../adapters/xmpp/protocol.ts';
import type { Connection } from '../../../adapters/xmpp/stream/connection.ts';
import { type Element, element } from '../../../adapters/xmpp/stream/xml.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { createEngagement } from '../../../src/kit/engagement.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { createStoringAgain } from '../../../src/kit/storing-again.ts';
import type { AdapterHost, Message } from '../../../src/kit.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const JID = 'parley@example.org';
const ANN = 'ann@example.org';
const STAMP = '2026-03-01T12:00:18Z';

const messageOf = (id: string, thread?: string): Element =>
  element(
    'message',
    NS.client,
    { from: `${ANN}/phone`, to: JID, type: 'chat', id },
    element('body', NS.client, {}, `A question that is longer than any command: ${id}`),
    thread === undefined ? undefined : element('thread', NS.client, {}, thread),
  );

/** Returns a receiver, and the questions that it passes to the bridge. */
function receiving(directDone: () => Promise<unknown>) {
  const asked: Message[] = [];
  const intake: AdapterHost['intake'] = async (event) => {
    if (event.kind === 'ask') asked.push(event.message);
    return { kind: 'nothing' };
  };
  const host = xmppHost({ intake });
  const { clock, log } = host;
  const { signal } = new AbortController();
  const background = createBackground(log);
  const connection = () => ({ isOnline: () => false }) as Connection;
  const rooms = { find: () => undefined, all: () => [], presence: () => undefined };
  const receiver = createReceiver({
    ...{ connection, clock, log, directDone, jid: JID, commands: {} as Commands },
    rooms: { ...rooms, joinAll: () => undefined, rejoin: () => undefined },
    deliver: { take: () => false, send: () => Promise.reject(new Error('Nothing is sent.')) },
    archive: { take: () => false, read: async () => [], find: async () => undefined },
    storing: createStoringAgain({ clock, log, stopping: () => false }),
    intake: {
      ...{ host, rooms, jid: JID, members: ['example.org'], emails: false },
      sent: createSent({ host, background, tenant: JID }),
      engagement: createEngagement(host.state),
      once: createOnce({ host, background, signal }),
      turns: createTurns(clock),
      programs: createPrograms(connection, signal),
      refuse: async () => undefined,
    },
  });
  return { receiver, asked };
}

test('a live message waits for the missed ones', async () => {
  const done = Promise.withResolvers<void>();
  const { receiver, asked } = receiving(() => done.promise);
  const live = receiver.handle(messageOf('live'));
  await receiver.archived(messageOf('missed'), { id: 'of the archive', stamp: STAMP });
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`]);
  done.resolve();
  await live;
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`, `${ANN}/live`]);
});

test('the time of a missed message is the last moment of its second', async () => {
  const { receiver, asked } = receiving(async () => undefined);
  await receiver.archived(messageOf('missed'), { id: 'of the archive', stamp: STAMP });
  expect(asked.map(({ sentAt, thread: { key } }) => ({ sentAt, key }))).toEqual([
    { sentAt: Date.parse(STAMP) + 999, key: CHAT },
  ]);
});
