/** Tests how intact and damaged rows are read as turns. */

import { describe, expect, it } from 'vitest';
import { laneOf, messageKey } from '../../../src/core/message.ts';
import { interruptionOf, isDamaged, type Row, turnOf } from '../../../src/store/turn-rows.ts';
import { message, screen } from '../../contract/turn-makers.ts';

const said = message('m1', 'How long?');
const whole: Row = {
  seq: 7,
  id: 't1',
  reply: 't1',
  lane: laneOf(said.thread),
  message_key: messageKey(said.thread, 'm1'),
  state: 'waiting',
  phase: 'new',
  attempt: 2,
  kept_at: 1_000,
  agent: null,
  account: null,
  session: null,
  chat_record: null,
  screen: null,
  interruption: null,
  origin: JSON.stringify({ kind: 'message', key: 'm1', revision: 0 }),
  message: JSON.stringify(said),
};
const row = (over: Partial<Record<string, Row[string]>> = {}): Row => ({ ...whole, ...over }) as Row;

describe('a whole row', () => {
  it('gives its turn, without absent members', () => {
    expect(turnOf(row())).toEqual({
      id: 't1',
      origin: { kind: 'message', key: 'm1', revision: 0 },
      lane: laneOf(said.thread),
      message: said,
      keptAt: 1_000,
      attempt: 2,
      phase: 'new',
      state: 'waiting',
    });
    expect(isDamaged(row())).toBe(false);
  });

  it('gives its turn with all members', () => {
    const known = { agent: 'books', account: 'ada', session: 's1', chat_record: 'r1' };
    expect(isDamaged(row({ screen: JSON.stringify(screen('m9')) }))).toBe(false);
    expect(turnOf(row({ ...known, reply: 't0', screen: JSON.stringify(screen('m9')) }))).toMatchObject({
      ...{ reply: 't0', agent: 'books', account: 'ada', session: 's1', chatRecord: 'r1' },
      screen: screen('m9'),
    });
  });

  it.each([
    { kind: 'message', key: 'm1', revision: 0 },
    { kind: 'retry', of: 't0', by: 'u1' },
    { kind: 'regenerate', of: 't0', by: 'u1', key: 'k' },
    { kind: 'act', of: 't0', act: 'summary', key: 'k' },
    { kind: 'show', of: 't0', edition: 1, key: 'k' },
    { kind: 'withdraw', of: 't0', key: 't0' },
  ])('can have the origin $kind', (origin) => {
    const read = row({ origin: JSON.stringify(origin) });
    expect([turnOf(read)?.origin, isDamaged(read)]).toEqual([origin, false]);
  });

  it.each(['new', 'asking', 'answering', 'ending'])('can have the phase %s', (phase) => {
    expect([turnOf(row({ phase }))?.phase, isDamaged(row({ phase }))]).toEqual([phase, false]);
  });

  it.each([
    ...['waiting', 'running', 'answered', 'partial', 'failed'],
    ...['stopped', 'withdrawn', 'expired', 'superseded'],
  ])('can have the state %s', (state) => {
    expect(turnOf(row({ state }))?.state).toBe(state);
  });
});

describe('a damaged row', () => {
  it.each<[string, Partial<Record<string, Row[string]>>]>([
    ['phase', { phase: 'damaged' }],
    ['origin: no JSON', { origin: '{' }],
    ['origin: no object', { origin: '"message"' }],
    ['origin: null', { origin: 'null' }],
    ['origin: no text', { origin: 7 }],
    ['origin: unknown kind', { origin: '{"kind":"other","key":"k"}' }],
    ['origin: neither key nor turn', { origin: '{"kind":"message","revision":0}' }],
    ['message: no JSON', { message: '' }],
    ['message: without id', { message: JSON.stringify({ ...said, id: undefined }) }],
    ['message: without text', { message: JSON.stringify({ ...said, text: 1 }) }],
    ['message: without thread', { message: JSON.stringify({ ...said, thread: null }) }],
    ['message: without sender', { message: JSON.stringify({ ...said, sender: 'ada' }) }],
    ['screen: no JSON', { screen: '{' }],
    ['screen: without rung', { screen: '{"parts":[]}' }],
    ['screen: without parts', { screen: '{"rung":"once","parts":{}}' }],
  ])('is recognized as damaged, and its turn can still be read: %s', (_, over) => {
    const damaged = row(over);
    expect(isDamaged(damaged)).toBe(true);
    expect(turnOf(damaged)).toMatchObject({
      id: 't1',
      message: { id: 'm1', thread: { room: said.thread.room } },
    });
    expect(turnOf(damaged)).not.toHaveProperty('screen');
  });

  it('with an unknown phase is not asked again', () => {
    expect(turnOf(row({ phase: 'damaged' }))?.phase).toBe('answering');
  });

  it('without its message has one in the thread that its keys name', () => {
    const { channel, tenant, room, key } = said.thread;
    expect(turnOf(row({ message: '{', origin: '{' }))).toMatchObject({
      origin: { kind: 'message', key: 'm1', revision: 0 },
      message: {
        id: 'm1',
        thread: { channel, tenant, room, key, kind: 'room' },
        sender: { id: '', name: '', standing: 'member' },
        text: '',
        quoted: [],
        files: [],
        sentAt: 1_000,
        revision: 0,
      },
    });
  });

  it.each([
    [null],
    ['{'],
    ['["a","b","c"]'],
    ['["a","b","c",4]'],
  ])('is named after its thread if its key is %s', (key) => {
    expect(turnOf(row({ message: '{', message_key: key }))?.message.id).toBe(said.thread.key);
  });

  it.each([
    ['{'],
    ['[]'],
    ['["a"]'],
    ['["a","b"]'],
    ['["a","b","c"]'],
    ['["a","b","c",4]'],
    ['{"0":"a"}'],
    [null],
  ])('whose thread cannot be read gives no turn: %s', (lane) => {
    expect(turnOf(row({ message: '{', lane }))).toBeUndefined();
  });

  it('with an unknown state gives no turn', () => {
    expect(turnOf(row({ state: 'damaged' }))).toBeUndefined();
  });
});

describe('an interruption', () => {
  const read = (interruption: Row[string]) => interruptionOf(row({ interruption }));

  it('is read as it was stored', () => {
    expect(read('{"kind":"stop","by":"u1"}')).toEqual({ kind: 'stop', by: 'u1' });
    expect(read('{"kind":"superseded","more":1}')).toEqual({ kind: 'superseded' });
    expect(read('{"kind":"withdrawn"}')).toEqual({ kind: 'withdrawn' });
  });

  it('by an unknown person is valid; one of another kind is ignored', () => {
    expect(read('{"kind":"stop"}')).toEqual({ kind: 'stop', by: '' });
    for (const none of [null, 'none', '{}', '{"kind":"lost"}', 'null', '7'])
      expect(read(none)).toBeUndefined();
  });
});
