import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createPrivatePlaces,
  isPrivate,
  privateThread,
  RESPONSE_MS,
} from '../../../../adapters/slack/private-places.ts';
import {
  actionId,
  actionValue,
  menuId,
  readAction,
  readActionId,
  readActionValue,
} from '../../../../adapters/slack/render/actions.ts';
import type { ReplyRef } from '../../../../src/kit/reply-ref.ts';
import { turnId } from '../../../../src/kit.ts';

const reply: ReplyRef = {
  turn: turnId('0199d3a0-0000-7000-8000-000000000001'),
  question: 'C0123456789/1793491200.000100',
  room: 'C0123456789',
  key: '1793491100.000200',
  kind: 'room',
};

it('reads from a press the value of its button, with any detail', () => {
  const detail = fc.string({ unit: 'binary', maxLength: 1_800 });
  fc.assert(
    fc.property(detail, fc.constantFrom('direct', 'group', 'room'), (said, kind) => {
      const carried = { ...reply, kind };
      expect(readActionValue(actionValue(carried, said))).toEqual({ reply: carried, detail: said });
    }),
  );
});

it('carries a question of another conversation, and of no conversation', () => {
  for (const question of ['D1/1793491200.000100', 'act-1']) {
    expect(readActionValue(actionValue({ ...reply, question }))?.reply.question).toBe(question);
  }
});

it('puts the reply into the id of a menu, and the agent into its options', () => {
  const id = menuId('agent', reply);
  expect(id.length).toBeLessThanOrEqual(255);
  expect(readActionId(id)).toBe('agent');
  expect(readAction({ id, value: 'night shift' })).toEqual({ reply, detail: 'night shift' });
  const button = { id: actionId('show', 1), value: actionValue(reply, '2') };
  expect(readAction(button)).toEqual({ reply, detail: '2' });
});

it('omits a detail that does not fit', () => {
  expect(readActionValue(actionValue(reply, 'x'.repeat(2_000)))?.detail).toBe('');
});

it('refuses values that it did not write', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      fc.pre(value.split(' ').length < 6);
      expect(readActionValue(value)).toBeUndefined();
    }),
  );
});

it('recognizes its own buttons by their ids', () => {
  expect(readActionId(actionId('suggestion', 4))).toBe('suggestion');
  expect(readActionId(actionId('stop'))).toBe('stop');
  for (const id of ['', 'reply', 'reply:', 'reply:other', 'home:stop'])
    expect(readActionId(id)).toBeUndefined();
});

it('stores the place of a private answer for as long as Slack accepts messages there', async () => {
  const kept = new Map<string, { value: unknown; ttlMs: number }>();
  const places = createPrivatePlaces({
    get: async (key) => kept.get(key)?.value,
    set: async (key, value, ttlMs) => void kept.set(key, { value, ttlMs }),
    delete: async (key) => void kept.delete(key),
  });
  const thread = privateThread('T1', 'C1', 'U1', 'abc');
  const place = { user: 'U1', responseUrl: 'https://hooks.example.com/commands/1', threadTs: '1.2' };
  await places.keep(thread, place);
  expect(await places.find(thread)).toEqual(place);
  expect(await places.find({ ...thread, tenant: 'T2' })).toBeUndefined();
  expect([...kept.values()].map(({ ttlMs }) => ttlMs)).toEqual([RESPONSE_MS]);
  expect(isPrivate(thread)).toBe(true);
  expect(isPrivate({ key: '1793491100.000200' })).toBe(false);
});
