/** A killed process may have posted the first message of a reply without recording it. */

import { expect, test } from 'vitest';
import { createSent } from '../../../adapters/xmpp/inbound/sent.ts';
import { createWriter } from '../../../adapters/xmpp/write/index.ts';
import type { WriterDeps } from '../../../adapters/xmpp/write/perform.ts';
import { blankDocument } from '../../../src/conform/play.ts';
import { createBackground } from '../../../src/kit/background.ts';
import type { Turn } from '../../../src/kit.ts';
import { questionIn } from '../../e2e/house/xmpp-adapter.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

/** The turn of an edited question, which continues the reply of the first turn. */
const turn = { id: 'second', reply: 'first', attempt: 1, keptAt: 1_000_000 } as unknown as Turn;
const unused = { corrections: true } as WriterDeps;

test('a turn that continues a reply looks for a message before it posts one', () => {
  const writer = createWriter(turn, unused);
  const document = { ...blankDocument(turn), state: 'writing', text: 'Words.', version: 1 } as const;
  const moves = writer.next(writer.resume(writer.blank()), document, 1_000_000);
  expect(moves.map(({ call }) => (call as { readonly kind: string }).kind)).toEqual(['find']);
});

test('a new reply posts at once', () => {
  const writer = createWriter(turn, unused);
  const document = { ...blankDocument(turn), state: 'writing', text: 'Words.', version: 1 } as const;
  const moves = writer.next(writer.blank(), document, 1_000_000);
  expect(moves.map(({ call }) => (call as { readonly kind: string }).kind)).toEqual(['post']);
});

test('an answer that another process posts refers to its question', async () => {
  const host = xmppHost();
  const sentOf = () =>
    createSent({ host, background: createBackground(host.log), tenant: 'parley@example.org' });
  const message = questionIn('field@rooms.example.org', 'nobody@localhost/first');
  const asked = { from: 'field@rooms.example.org/nobody', id: 'stanza 1' };
  await sentOf().asked(message, asked, undefined);
  expect(await sentOf().questionOf(message)).toMatchObject(asked);
});
