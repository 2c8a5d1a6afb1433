import { expect, test } from 'vitest';
import { readMessage } from '../inbound/read.ts';
import { element } from '../stream/xml.ts';

const reading = { room: undefined, jid: 'parley@example.org', now: 0 };
const [CLIENT, REPLY, FALLBACK] = ['jabber:client', 'urn:xmpp:reply:0', 'urn:xmpp:fallback:0'];
const body = (text: string) => element('body', CLIENT, {}, text);
const message = (...children: Parameters<typeof element>[3][]) =>
  element('message', CLIENT, { from: 'ann@example.org/x', id: 'm1', type: 'chat' }, ...children);

/** Returns a message that answers another one; its body repeats the other message, then contains `own`. */
const answering = (own: string) =>
  message(
    body(`> which valve\n${own}`),
    element('reply', REPLY, { id: 'm0', to: 'mara@example.org' }),
    element('fallback', FALLBACK, { for: REPLY }, element('body', FALLBACK, { start: '0', end: '14' })),
  );

test.each(['', 'is it?'])('a quote is a message, also without own words (%j)', (own) => {
  expect(readMessage(answering(own), reading)).toMatchObject({
    text: own,
    quoted: [{ author: 'mara@example.org', text: 'which valve' }],
  });
});

test('a message without words, quotes and files is none', () => {
  const empty = message(body(' '));
  expect(readMessage(empty, reading)).toBeUndefined();
});
