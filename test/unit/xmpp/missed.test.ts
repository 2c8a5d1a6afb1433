/** Messages that the bridge missed are taken before those that arrive after its login. */

import { expect, test } from 'vitest';
import type { Commands } from '../../../channels/xmpp/inbound/commands.ts';
import { createPrograms } from '../../../channels/xmpp/inbound/programs.ts';
import { createReceiver } from '../../../channels/xmpp/inbound/receiver.ts';
import { createSent } from '../../../channels/xmpp/inbound/sent.ts';
import { CHAT, NS } from '../../../channels/xmpp/protocol.ts';
import { type Element, element } from '../../../channels/xmpp/stream/xml.ts';
import { createEngagement } from '../../../src/core/stores/engagement.ts';
import { createBackground } from '../../../src/kit/background.ts';
import type { Origin } from '../../../src/kit/ladder.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { type AdapterHost, type Message, turnId } from '../../../src/kit.ts';
import { answerTo, turnFor } from '../../e2e/house/xmpp-adapter.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const JID = 'parley@example.org';
const ANN = 'ann@example.org';
const STAMP = '2026-03-01T12:00:18Z';

const QUESTION = 'A question that is longer than any command';

/** Returns a message of ann. `id` is absent if her client gives its messages no ids. */
const messageOf = (id: string | undefined, text = `${QUESTION}: ${id}`, ...more: Element[]): Element =>
  element(
    'message',
    NS.client,
    { from: `${ANN}/phone`, to: JID, type: 'chat', id },
    element('body', NS.client, {}, text),
    ...more,
  );

/** Returns a receiver, the questions that it passes to the bridge, and their origins. */
function receiving(caughtUp: () => Promise<boolean>) {
  const asked: Message[] = [];
  const origins: Origin[] = [];
  const intake: AdapterHost['intake'] = async (event) => {
    if (event.kind !== 'ask') return { kind: 'nothing' };
    asked.push(event.message);
    origins.push(event.origin);
    return { kind: 'kept', turn: turnId(`turn-${asked.length}`), ahead: 0 };
  };
  const host = xmppHost({ intake });
  const { clock, log } = host;
  const { signal } = new AbortController();
  const background = createBackground(log);
  const refuse = () => Promise.reject(new Error('Nothing is sent.'));
  const connection = { isOnline: () => false, sendIfOnline: () => undefined, request: refuse };
  const sent = createSent(host.state, background, JID);
  const rooms = { find: () => undefined, presence: () => undefined };
  const receiver = createReceiver({
    ...{ connection, caughtUp, signal, commands: {} as Commands },
    deliver: { take: () => false },
    archive: { take: () => false },
    intake: {
      ...{ host, rooms, tenant: JID, members: ['example.org'], emails: false },
      sent,
      engagement: createEngagement(host.state),
      once: createOnce({ host, background, signal }),
      programs: createPrograms(connection, clock, signal),
      refuse: async () => undefined,
    },
  });
  /** Shows the answer of a turn. */
  const show = (message: Message, nth: number) => {
    const turn = turnFor(message, nth);
    sent.messageShown(turn, {
      id: 'of the answer',
      begin: { at: 0, fresh: true },
      document: answerTo(turn, 'Yes.'),
    });
  };
  return { receiver, asked, origins, show };
}

test('a live message waits for the missed ones', async () => {
  const done = Promise.withResolvers<boolean>();
  const { receiver, asked } = receiving(() => done.promise);
  const live = receiver.handle(messageOf('live'));
  await receiver.archived({ id: 'of the archive', message: messageOf('missed'), stamp: STAMP });
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`]);
  done.resolve(true);
  await live;
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`, `${ANN}/live`]);
});

test('a live message waits for the missed ones of the next session, if its own is lost', async () => {
  const next = Promise.withResolvers<boolean>();
  const attempts = [Promise.resolve(false), Promise.resolve(false)];
  const { receiver, asked } = receiving(() => attempts.shift() ?? next.promise);
  const live = receiver.handle(messageOf('live'));
  while (attempts.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await receiver.archived({ id: 'of the archive', message: messageOf('missed'), stamp: STAMP });
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`]);
  next.resolve(true);
  await live;
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/missed`, `${ANN}/live`]);
});

test('the time of a missed message is the last moment of its second', async () => {
  const { receiver, asked } = receiving(async () => true);
  await receiver.archived({ id: 'of the archive', message: messageOf('missed'), stamp: STAMP });
  expect(asked.map(({ sentAt, thread: { key } }) => ({ sentAt, key }))).toEqual([
    { sentAt: Date.parse(STAMP) + 999, key: CHAT },
  ]);
});

test.each([
  'regenerate',
  'retry',
])('the archive repeats "%s" after the new answer, and nothing is asked again', async (word) => {
  const { receiver, asked, origins, show } = receiving(async () => true);
  await receiver.handle(messageOf('question'));
  const [question] = asked;
  if (question === undefined) throw new Error('The question was not asked.');
  show(question, 1);
  await receiver.handle(messageOf('again', word));
  show(question, 2);
  await receiver.archived({ id: 'of the archive', message: messageOf('again', word), stamp: STAMP });
  expect(origins.map(({ kind }) => kind)).toEqual(['message', word]);
});

test('a missed message without an id of its own has the same id when it arrives again', async () => {
  const { receiver, asked } = receiving(async () => true);
  const stanzaId = element('stanza-id', NS.stanzaId, { by: JID, id: 'of the archive' });
  await receiver.archived({ id: 'of the archive', message: messageOf(undefined), stamp: STAMP });
  await receiver.handle(messageOf(undefined, undefined, stanzaId));
  expect(asked.map(({ id }) => id)).toEqual([`${ANN}/of the archive`, `${ANN}/of the archive`]);
});
