/** A killed process may have posted or retracted a message of a reply without recording it. */

import { expect, test } from 'vitest';
import type { Archived } from '../../../channels/xmpp/inbound/archive.ts';
import { createSent } from '../../../channels/xmpp/inbound/sent.ts';
import { NS } from '../../../channels/xmpp/protocol.ts';
import type { Room } from '../../../channels/xmpp/rooms.ts';
import { LostSession, StanzaError } from '../../../channels/xmpp/stream/connection.ts';
import { childText, type Element, element } from '../../../channels/xmpp/stream/xml.ts';
import { createSearch, createWriter, type WriterDeps } from '../../../channels/xmpp/writer.ts';
import { blankDocument } from '../../../src/conform/play.ts';
import { createBackground } from '../../../src/kit/background.ts';
import type { Turn } from '../../../src/kit.ts';
import { answerTo, questionIn } from '../../e2e/house/xmpp-adapter.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const ROOM = 'field@rooms.example.org';

/** The turn of an edited question, which continues the reply of the first turn. */
const turn = {
  ...{ id: 'second', reply: 'first', attempt: 1, keptAt: 1_000_000 },
  message: questionIn(ROOM, 'nobody@localhost/first'),
  origin: { kind: 'message', key: 'second', revision: 1 },
} as unknown as Turn;
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
  const sentOf = () => createSent(host.state, createBackground(host.log), 'parley@example.org');
  const { message } = turn;
  const asked = { from: 'field@rooms.example.org/nobody', id: 'stanza 1' };
  await sentOf().asked(message, asked, undefined);
  expect(await sentOf().questionOf(message)).toMatchObject(asked);
});

const ours = (id: string, archiveId: string, retracts?: string): Archived => ({
  ...{ id: archiveId, stamp: undefined },
  message: element(
    'message',
    NS.client,
    { id, from: `${ROOM}/Parley` },
    retracts === undefined ? undefined : element('retract', NS.retract, { id: retracts }),
  ),
});

/** Returns the calls of a reply, with an archive of these messages, oldest first. */
function taking(archived: readonly Archived[] | Error, state: Room['state'] = 'joined') {
  const edits: string[] = [];
  const find: WriterDeps['archive']['find'] = async (_, isIt) => {
    if (archived instanceof Error) throw archived;
    return archived.findLast(isIt);
  };
  const deps = {
    ...{ corrections: true, jid: 'parley@example.org', archive: { find }, host: xmppHost() },
    rooms: { find: () => ({ state, nick: 'Parley' }) as Partial<Room> as Room },
    sent: { confirmed: () => undefined, stanzaIdOf: async (_: unknown, id: string) => `stanza of ${id}` },
    deliver: {
      send: async (message: Element) => {
        edits.push(childText(message, 'body') ?? '');
        return { kind: 'done' };
      },
    },
  } as unknown as WriterDeps;
  const never = new AbortController().signal;
  const writer = createWriter(turn, deps);
  const { find: look, isRetracted } = createSearch(turn, deps);
  return {
    edits,
    /** Edits a message that an earlier process may have retracted. */
    edit(id: string) {
      const part = { id, begin: { at: 0, fresh: true }, form: 'styled', openedAt: 1, maybeDeleted: true };
      const document = answerTo(turn, '**All** of the answer.');
      const call = { kind: 'update', index: 1, screen: {}, document, part };
      return writer.perform({ family: 'edit', essential: true, call }, never);
    },
    find: (known: readonly string[] = [], signal = never) =>
      look({ key: 'first/1', known, since: 0 }, signal),
    isRetracted: (signal = never) => isRetracted('gone', signal),
  };
}

test('a message that a killed process has retracted is not edited, so that its text is posted again', async () => {
  const { edit, edits } = taking([ours('gone', 'a1'), ours('kept', 'a2'), ours('r', 'a3', 'stanza of gone')]);
  expect(await edit('gone')).toEqual({ kind: 'refused', why: 'gone' });
  expect(edits).toEqual([]);
  expect(await edit('kept')).toEqual({ kind: 'done', id: 'kept' });
  // The form of the stored message is that of earlier versions.
  expect(edits).toEqual(['*All* of the answer.']);
});

test('the look-up is repeated after a lost session, and given up if the archive fails otherwise', async () => {
  const lost = taking(new LostSession());
  expect(await lost.edit('gone')).toMatchObject({ kind: 'refused', why: 'busy' });
  const failing = taking(new Error('no answer'));
  expect(await failing.edit('gone')).toMatchObject({ kind: 'done' });
  expect(await failing.isRetracted()).toBe(false);
});

test('outside of the room, the look-up is repeated', async () => {
  const { edit, edits } = taking([], 'joining');
  expect(await edit('gone')).toMatchObject({ kind: 'refused', why: 'busy' });
  expect(edits).toEqual([]);
});

test.each([
  ['the session was lost', new LostSession(), { kind: 'refused', why: 'busy' }, undefined],
  ['there is no archive', new StanzaError('forbidden'), { kind: 'refused', why: 'invalid' }, false],
  ['the archive does not answer', new Error('late'), { kind: 'unknown' }, false],
])('a look-up ends if %s, and rejects if the adapter stops', async (_, error, found, retracted) => {
  const { find, isRetracted } = taking(error);
  expect(await find()).toMatchObject(found);
  expect(await isRetracted()).toBe(retracted);
  const reason = new Error('stopped');
  const stopped = AbortSignal.abort(reason);
  await expect(find([], stopped)).rejects.toBe(reason);
  await expect(isRetracted(stopped)).rejects.toBe(reason);
});

/** Whether a message can be looked up, and whether a message may count as not retracted, in each state of its room. */
const states: Readonly<Record<Room['state'], readonly [boolean, boolean]>> = {
  ...{ outside: [false, false], joining: [false, false], joined: [true, true], closed: [false, true] },
};
test.each(Object.entries(states))('a look-up in a room whose state is %s', async (state, [
  isMade,
  isJudged,
]) => {
  const { find, isRetracted } = taking([], state as Room['state']);
  expect(await find()).toMatchObject({ kind: isMade ? 'done' : 'unknown' });
  expect(await isRetracted()).toBe(isJudged ? false : undefined);
});

test('a message of another place in the answer is not found', async () => {
  const { find } = taking([ours('parley.first.1.x', 'a1'), ours('parley.first.12.x', 'a2')]);
  expect(await find()).toMatchObject({ kind: 'done', id: 'parley.first.1.x' });
});

test('an image of unknown outcome is looked up before it is sent again, and given up after that', () => {
  const writer = createWriter(turn, unused);
  const media = [{ id: 'i1', kind: 'image', name: 'dot', link: 'x' }];
  const document = { ...answerTo(turn, 'All of the answer.'), media } as unknown as ReturnType<
    typeof answerTo
  >;
  let screen = writer.blank();
  const sent: unknown[] = [];
  for (let made = 0; made < 6; made += 1) {
    const [move] = writer.next(screen, document, 1);
    if (move === undefined) break;
    const { kind, isAgain } = move.call as { readonly kind: string; readonly isAgain?: boolean };
    if (kind === 'image') sent.push(isAgain);
    screen = writer.after(
      screen,
      move,
      kind === 'image' ? { kind: 'unknown' } : { kind: 'done', id: 'm1' },
      1,
    );
  }
  expect(sent).toEqual([false, true]);
  expect(screen.finished).toBe(true);
});

test('a retracted message is not found again', async () => {
  const [old, gone] = ['parley.first.1.old', 'parley.first.1.gone'];
  const { find } = taking([ours(old, 'a1'), ours(gone, 'a2'), ours('r', 'a3', 'a2')]);
  expect(await find()).toMatchObject({ kind: 'done', id: old });
  expect(await find([old])).toEqual({ kind: 'done' });
});
