/** The writer of channels that show a reply as one message: what follows each outcome of each call. */

import { expect, test } from 'vitest';
import type { Screen } from '../../../src/kit/ladder.ts';
import type { Outcome, ReplyDocument } from '../../../src/kit.ts';
import { documentWriter } from '../../../src/reply/document-writer.ts';
import { blank } from './markdown/documents.ts';

/** Plays a reply on a channel that answers each call with the next outcome. Returns the calls. */
function playing() {
  const calls: string[] = [];
  const outcomes: Outcome[] = [];
  const answer = (call: string): Outcome => {
    calls.push(call);
    return outcomes.shift() ?? { kind: 'done', id: 'm1' };
  };
  const writer = documentWriter({
    post: ({ text }) => answer(`post ${text}`),
    edit: ({ id, at, text }) => answer(`edit ${id} ${at} ${text}`),
    remove: (id) => answer(`remove ${id}`),
  });
  let screen: Screen = writer.blank();
  let document: ReplyDocument = blank;
  const show = async (text: string, state: ReplyDocument['state'], ...next: readonly Outcome[]) => {
    document = { ...document, text, state, version: document.version + 1 };
    outcomes.push(...next);
    for (let made = 0; made < 5; made += 1) {
      const [move] = writer.next(screen, document, 0);
      if (move === undefined) break;
      const outcome = await writer.perform(move, new AbortController().signal);
      screen = writer.after(screen, move, outcome, 0);
    }
    return { made: calls.splice(0), isFinished: screen.finished };
  };
  const takeOver = () => {
    screen = writer.resume(screen);
  };
  return { show, takeOver };
}

const lost: Outcome = { kind: 'unknown' };
const later: Outcome = { kind: 'refused', why: 'busy' };
const gone: Outcome = { kind: 'refused', why: 'gone' };

test('a call is repeated after an unknown or a temporary outcome, an edit with the whole text', async () => {
  const { show } = playing();
  expect((await show('One', 'writing', lost, later)).made).toEqual(['post One', 'post One', 'post One']);
  expect((await show('One two', 'writing')).made).toEqual(['edit m1 3  two']);
  const { made, isFinished } = await show('One two three', 'done', lost, later);
  expect(made).toEqual(['edit m1 7  three', 'edit m1 0 One two three', 'edit m1 0 One two three']);
  expect(isFinished).toBe(true);
});

test('a message is removed until the channel confirms it', async () => {
  const { show } = playing();
  await show('One', 'writing');
  expect(await show('One', 'withdrawn', lost, later)).toEqual({
    made: ['remove m1', 'remove m1', 'remove m1'],
    isFinished: true,
  });
  expect((await show('One', 'withdrawn')).made).toEqual([]);
});

test('a message of an earlier process is removed without its id, and edited as a whole', async () => {
  const unknown = playing();
  expect((await unknown.show('', 'withdrawn')).made).toEqual(['remove undefined']);
  const known = playing();
  await known.show('One', 'writing');
  known.takeOver();
  expect((await known.show('One two', 'writing')).made).toEqual(['edit m1 0 One two']);
});

test('nothing follows after people have deleted the message', async () => {
  const { show } = playing();
  await show('One', 'writing');
  expect(await show('One two', 'writing', gone)).toEqual({ made: ['edit m1 3  two'], isFinished: true });
  expect((await show('One two three', 'done')).made).toEqual([]);
});
