/** Measures which share of the words that people see in Teams reaches the agent, as words or as named omissions. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../../../src/kit.ts';
import { type Rig, startRig } from '../rig.ts';
import { BOT, events, type Seen } from './events.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ config: { allMessages: true } });
});
afterAll(() => rig.close());

let nth = 0;

/** Sends the message as Teams would, and returns what the bridge takes in. */
async function received(seen: Seen, type = 'message'): Promise<Message | undefined> {
  const { where = 'personal', text, html, attachments = [], entities = [], more } = seen;
  nth += 1;
  const room = { personal: 'a:1', groupChat: '19:chat@thread.v2', channel: '19:c@thread.tacv2;messageid=1' }[
    where
  ];
  const own = (each: object) => JSON.parse(JSON.stringify(each).replaceAll(BOT, rig.fake.app.botId));
  rig.taken.splice(0);
  const answer = await rig.send({
    type,
    id: String(Date.now() + nth),
    timestamp: new Date().toISOString(),
    channelId: 'msteams',
    serviceUrl: rig.fake.serviceUrl(),
    from: { id: '29:ada', name: 'Ada', aadObjectId: 'ffffffff-0000-0000-0000-000000000001' },
    recipient: { id: rig.fake.app.botId, name: 'Parley' },
    conversation: {
      id: room,
      conversationType: where,
      tenantId: rig.fake.tenant().id,
      isGroup: where !== 'personal',
    },
    channelData: {
      tenant: { id: rig.fake.tenant().id },
      ...(type === 'messageUpdate' && { eventType: 'editMessage' }),
      ...(where === 'channel' && { team: { id: '19:team@thread.tacv2' } }),
    },
    ...(text !== undefined && { text }),
    entities: entities.map(own),
    attachments: [
      ...attachments,
      ...(html === undefined ? [] : [{ contentType: 'text/html', content: html }]),
    ],
    ...more,
  });
  expect(answer.status).toBe(200);
  const [taken] = rig.taken;
  return taken?.kind === 'ask' || taken?.kind === 'edit' ? taken.message : undefined;
}

const tokens = (words: string): readonly string[] =>
  words.toLowerCase().match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? [];

function shareOf({ visible }: Seen, message: Message | undefined) {
  const { text = '', quoted = [], files = [], omitted = [] } = message ?? {};
  const parts = [text, ...quoted.flatMap((quote) => [quote.author, quote.text]), ...omitted];
  const known = new Set(tokens([...parts, ...files.map(({ name }) => `the file ${name}`)].join(' ')));
  const seen = tokens(visible);
  return { seen: seen.length, missing: seen.filter((token) => !known.has(token)) };
}

test('at least 99.9 % of the visible words of messages reach the agent', async () => {
  const lost: string[] = [];
  let seen = 0;
  for (const event of events) {
    for (const type of ['message', 'messageUpdate']) {
      const share = shareOf(event, await received(event, type));
      seen += share.seen;
      lost.push(...share.missing.map((word) => `${event.name} (${type}): ${word}`));
    }
  }
  const share = 100 * (1 - lost.length / seen);
  process.stdout.write(
    `${events.length} messages in Teams: ${share.toFixed(2)} % of ${seen} visible words\n`,
  );
  expect(events.length).toBeGreaterThanOrEqual(40);
  expect(lost).toEqual([]);
  expect(share).toBeGreaterThanOrEqual(99.9);
});

/** True if a message of a thread's history, which has no plain text and no entities, has all its words. */
const isWhole = ({ html, entities, isBroken }: Seen): boolean =>
  html !== undefined && entities === undefined && isBroken === undefined;

test('the words of a thread’s history reach the agent like those of a question', async () => {
  const lost: string[] = [];
  let count = 0;
  const ada = rig.fake.tenant().person({ name: 'Ada' });
  const team = rig.fake.tenant().team({ consents: ['ChannelMessage.Read.Group'] });
  for (const event of events.filter(isWhole)) {
    const { text = '', html = '', attachments = [] } = event;
    const channel = team.channel();
    rig.taken.splice(0);
    const { message } = ada.says(channel, text, { html, attachments: [...attachments] });
    await ada.mentions(channel, 'so?', { thread: message.id }).delivery?.done;
    const [taken] = rig.taken;
    const { lookup } = rig.adapter.abilities;
    if (taken?.kind !== 'ask' || lookup === undefined) throw new Error('not asked');
    const complete = await lookup.complete(taken.message, new AbortController().signal);
    const share = shareOf(event, complete);
    count += share.seen;
    lost.push(...share.missing.map((word) => `${event.name}: ${word}`));
  }
  process.stdout.write(`thread history in Teams: ${lost.length} of ${count} visible words lost\n`);
  expect(count).toBeGreaterThan(100);
  expect(lost).toEqual([]);
});

test.each(
  events.filter(({ others }) => others !== undefined),
)('words of others do not become the asker’s own: $name', async (event) => {
  const message = await received(event);
  expect(message?.text).not.toContain(event.others);
  expect(message?.quoted.map(({ text }) => text).join()).toContain(event.others);
});
