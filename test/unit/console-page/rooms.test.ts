/** Tests which rooms the page shows, to whom, and when a room disappears. */

import { expect, it } from 'vitest';
import { fold } from '../../../adapters/console/page/state/fold.ts';
import { candidatesFor } from '../../../adapters/console/page/state/mention.ts';
import { emptyState, type PageState } from '../../../adapters/console/page/state/model.ts';
import { roomsFor } from '../../../adapters/console/page/state/select.ts';
import type { RoomView } from '../../../adapters/console/wire.ts';

const room = (id: string, more: Partial<RoomView> = {}): RoomView => ({
  ...{ id, name: id, topic: '', kind: 'room' },
  ...more,
});
const closed = room('closed', { members: ['ada', 'ben'] });
const own = room('direct~ada~guide~1', { kind: 'direct', person: 'ada', agent: 'guide' });
const setup = {
  people: ['ada', 'ben', 'cleo'].map((id) => ({ id, name: id, title: '' })),
  agents: [],
  botName: 'parley',
  defaultAgent: 'guide',
  limits: { textChars: 1, files: 1, fileBytes: 1 },
};
const stateOf = (who: string, me?: string): PageState => ({
  ...{ ...emptyState, who, rooms: [room('open'), room('old', { archived: true }), closed, own] },
  setup: { ...setup, ...(me !== undefined && { me }) },
  messages: { closed: [], 'direct~ada~guide~1': [] },
});
const ids = (rooms: readonly RoomView[]) => rooms.map(({ id }) => id);

it.each([
  ['ada', ['open', 'closed'], [own.id]],
  ['ben', ['open', 'closed'], []],
  ['cleo', ['open'], []],
])('%s sees the rooms %j and the conversations %j', (who, open, directs) => {
  const found = roomsFor(stateOf(who));
  expect([ids(found.rooms), ids(found.archived), ids(found.directs)]).toEqual([open, ['old'], directs]);
});

it.each([
  ['ben', 'ben', 'closed', true],
  // Without a sign-in, the page may speak as another member of the private room, but nobody has a deleted conversation.
  ['ben', undefined, 'closed', false],
  ['ada', undefined, own.id, true],
])('%s, signed in as %s, loses %s: %s', (who, me, left, gone) => {
  const state = fold(stateOf(who, me), { type: 'left', seq: 1, room: left, person: who });
  expect([ids(state.rooms).includes(left), left in state.messages]).toEqual([!gone, !gone]);
});

it.each([
  [room('open'), ['parley', 'ben', 'cleo']],
  [closed, ['parley', 'ben']],
  [own, ['parley']],
])('a mention in %j completes the names of its readers', (where, names) => {
  expect(candidatesFor(setup, '', where, 'ada').map(({ name }) => name)).toEqual(names);
});
