import { laneKey, turnId } from '../../src/core/ids.ts';
import type { Message, ThreadRef } from '../../src/core/message.ts';
import type { Screen } from '../../src/core/screen.ts';
import type { NewTurn } from '../../src/core/stores/inbox.ts';

export const thread = (key: string): ThreadRef => ({
  channel: 'console',
  tenant: 'local',
  room: 'general',
  key,
  kind: 'room',
});

export const message = (id: string, text = `question ${id}`): Message => ({
  id,
  thread: thread('t'),
  sender: { id: 'u1', name: 'Ada', standing: 'member' },
  text,
  quoted: [{ author: 'Bo', text: 'quoted words' }],
  omitted: ['the file secret plan.pdf'],
  files: [{ id: 'f1', name: 'secret plan.png', type: 'image/png', bytes: 3 }],
  sentAt: 1,
  revision: 0,
});

export const newTurn = (id: string, lane = 'lane', more: Partial<NewTurn> = {}): NewTurn => ({
  id: turnId(id),
  originKey: `origin of ${id}`,
  origin: { kind: 'message', key: id, revision: 0 },
  lane: laneKey(lane),
  message: message(id),
  ...more,
});

export const screen = (id: string): Screen => ({
  rung: 'edits',
  parts: [{ id, from: 0, live: false, openedAt: 1, sure: true }],
  finished: false,
});
