/** Tests the functions of the channel that need no bridge. `npm run conform` checks the whole channel. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf } from '../api.js';
import { intakeOf } from '../channel.js';
import { eventOf } from '../room.js';
import { harmless } from '../writer.js';

/** @import { ChatEvent } from '../channel.js' */

const event = (/** @type {ChatEvent['type']} */ type, revision = 0) =>
  eventOf(type, { id: 'm1', thread: 't1', person: 'ada', text: 'How long?', revision });

test('a message becomes a question with its person and its thread', () => {
  const asked = intakeOf(event('message'));
  assert.equal(asked.kind, 'ask');
  assert.deepEqual(asked.kind === 'ask' && asked.origin, { kind: 'message', key: 'm1', revision: 0 });
  assert.equal(asked.kind === 'ask' && asked.message.thread.key, 't1');
  assert.equal(asked.kind === 'ask' && asked.message.sender.id, 'ada');
});

test('an edit and a deletion name the same message', () => {
  const edit = intakeOf(event('edited', 1));
  assert.equal(edit.kind === 'edit' && edit.message.id, 'm1');
  assert.equal(edit.kind === 'edit' && edit.message.revision, 1);
  const deletion = intakeOf(event('deleted'));
  assert.equal(deletion.kind === 'delete' && deletion.message, 'm1');
});

test('a refusal says whether the call may succeed later', () => {
  const outcome = (/** @type {number} */ status, headers = {}) =>
    outcomeOf(new Response(null, { status, headers }), 'm1');
  assert.deepEqual(outcome(200), { kind: 'done', id: 'm1' });
  assert.deepEqual(outcome(410), { kind: 'refused', why: 'gone' });
  assert.deepEqual(outcome(429, { 'retry-after': '2' }), {
    kind: 'refused',
    why: 'rate',
    retryAfterMs: 2_000,
  });
  assert.deepEqual(outcome(503), { kind: 'unknown' });
});

test('an answer notifies nobody', () => {
  assert.doesNotMatch(harmless('Ask @all and @ada.'), /@(?:all|ada)/);
});
