/**
 * Tests messages of unknown outcome (fault F28: no response to a call), and calls that Teams temporarily refuses (F26).
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitingNote } from '../../../../adapters/teams/render/forms.ts';
import { words } from '../../../../src/core/words.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import { turnId } from '../../../../src/kit.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const cards = (play: Play): string => rig.cards(play.turn).join('');
const DOUBT = 'Teams did not confirm my first message';

describe.each(['room', 'group'] as const)('if the messages of a %s may be read', (kind) => {
  it.each([
    'reset',
    'gateway',
    'refuse',
  ] as const)('an unconfirmed post stays one message (%s)', async (fault) => {
    const play = playIn(rig, { kind, reads: true });
    rig.fake.plant({ kind: fault, method: 'send' });
    await play.show({ state: 'writing', text: 'Some' });
    await play.show({ state: 'done', text: 'Some and more' });
    expect(rig.texts(play.turn)).toEqual(['Some and more']);
    expect(play.kinds().slice(0, 2)).toEqual(['post', 'find']);
    expect(cards(play)).not.toContain(DOUBT);
  });

  it('finds a message without buttons by its text', async () => {
    const play = playIn(rig, { kind, reads: true });
    rig.fake.plant({ kind: 'reset', method: 'send', after: 1 });
    const text = `${'A **word** & `code` '.repeat(1_100)}end`;
    await play.show({ state: 'done', text });
    const texts = rig.texts(play.turn);
    expect(texts.join('').match(/word/g)).toHaveLength(1_100);
    expect(texts.at(-1)).toMatch(/end$/);
  });

  it('finds what an earlier process posted without recording it', async () => {
    const play = playIn(rig, { kind, reads: true });
    play.change({ state: 'writing', text: 'Some' });
    await play.step();
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2 }, reads: true });
    await again.show({ state: 'partial', text: 'Some more' });
    expect(rig.texts(play.turn)).toEqual(['Some more']);
  });

  it.each([
    words.platformDown,
    words.askedAnew,
    words.signIn.waiting,
  ])('finds what an earlier process posted before the answer: %s', async (meanwhile) => {
    const play = playIn(rig, { kind, reads: true });
    play.change({ meanwhile, postponed: true });
    await play.step();
    expect(rig.texts(play.turn)).toEqual([meanwhile]);
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2 }, reads: true });
    await again.show({ state: 'done', text: 'Some' });
    expect(rig.texts(play.turn)).toEqual(['Some']);
  });

  it('finds the message after a restart even if the answer was rewritten meanwhile', async () => {
    const play = playIn(rig, { kind, reads: true });
    rig.fake.plant({ kind: 'reset', method: 'send' });
    play.change({ state: 'writing', text: ':' });
    while (play.kinds().at(-1) !== 'post') await play.step();
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2, screen: play.screen }, reads: true });
    again.screen = again.writer.resume(play.screen);
    await again.show({ state: 'done', text: ' ', rewrites: 1 });
    expect(rig.texts(play.turn)).toEqual(['The agent returned no text.']);
  });

  it('finds the notice of a failure that an earlier process posted without recording it', async () => {
    const play = playIn(rig, { kind, reads: true });
    const failed = (sentence: string) => ({
      state: 'failed' as const,
      notices: [{ tone: 'error' as const, text: words.withReference(sentence, play.turn.id) }],
    });
    play.change(failed('The sign-in failed.'));
    await play.step();
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2 }, reads: true });
    await again.show(failed('The bridge restarted.'));
    const texts = rig.texts(play.turn);
    expect(texts).toHaveLength(1);
    expect(texts.join()).toContain('The bridge restarted.');
  });

  it('does not mistake a late note that its question waits for the answer’s card', async () => {
    const play = playIn(rig, { kind, reads: true });
    const planted = rig.fake.plant({ kind: 'refuse', method: 'send', only: 'AdaptiveCard' });
    play.change({ state: 'done', agent: agentName('guide'), text: 'Some' });
    while (planted.hits === 0) await play.step();
    await rig.post(play.turn, waitingNote(play.turn, 'It waits.'));
    await play.rest();
    const cards = rig.cards(play.turn).map((card) => /parley\.\w+/.exec(card)?.[0]);
    expect(cards.toSorted()).toEqual(['parley.instead', 'parley.regenerate']);
  });

  it('does not mistake another answer’s message for it', async () => {
    const other = playIn(rig, { kind, reads: true });
    await other.show({ state: 'done', text: 'Some' });
    const { id: _, ...turn } = other.turn;
    const play = playIn(rig, {
      turn: { ...turn, id: `${other.turn.id}b` as typeof other.turn.id },
      reads: true,
    });
    rig.fake.plant({ kind: 'refuse', method: 'send' });
    await play.show({ state: 'done', text: 'Some and more' });
    expect(rig.texts(play.turn)).toEqual(['Some', 'Some and more']);
  });

  it('does not mistake the same beginning of another answer for it after a restart', async () => {
    const other = playIn(rig, { kind, reads: true });
    await other.show({ state: 'partial', text: 'The answer' });
    const { id: _, ...asked } = other.turn;
    const turn = { ...asked, id: turnId(`${other.turn.id}b`), attempt: 2 };
    const play = playIn(rig, { turn, reads: true });
    await play.show({ state: 'done', text: 'The answer is another.' });
    expect(rig.texts(turn)).toEqual(['The answer', 'The answer is another.']);
  });

  it('a look-up waits while the store cannot tell which messages belong to other replies', async () => {
    const play = playIn(rig, { kind, reads: true });
    rig.fake.plant({ kind: 'reset', method: 'send' });
    play.change({ state: 'writing', text: 'Some' });
    await play.step();
    rig.storeFails = true;
    await play.step();
    expect(play.outcomes().at(-1)).toEqual({ kind: 'unknown' });
    rig.storeFails = false;
    await play.show({ state: 'done', text: 'Some and more' });
    expect(rig.texts(play.turn)).toEqual(['Some and more']);
  });

  it('an unconfirmed message is sent again at the end, with a notice, if Graph does not answer', async () => {
    for (const fault of [
      { kind: 'status', status: 403, method: 'graph' },
      { kind: 'status', status: 503, method: 'graph', count: 100 },
    ] as const) {
      const play = playIn(rig, { kind, reads: true });
      rig.fake.plant({ kind: 'refuse', method: 'send' });
      rig.fake.plant(fault);
      play.change({ state: 'writing', text: 'Some' });
      for (let step = 0; step < 3; step++) await play.step();
      if (fault.status === 403)
        expect(play.kinds()).toEqual(['post', 'find', ...(kind === 'group' ? ['typing'] : [])]);
      await play.show({ state: 'done', text: 'Some and more' });
      rig.fake.clearFaults();
      expect(rig.texts(play.turn)).toEqual(['Some and more']);
      expect(cards(play)).toContain(DOUBT);
    }
  });
});

describe('if messages may not be read', () => {
  it.each([
    'room',
    'group',
    'direct',
  ] as const)('an unconfirmed message is sent again once, at the end, with a notice: %s', async (kind) => {
    for (const fault of ['reset', 'refuse'] as const) {
      const play = playIn(rig, { kind, streams: false });
      await play.show({});
      rig.fake.plant({ kind: fault, method: 'send' });
      await play.show({ state: 'writing', text: 'Some' });
      await play.show({ text: 'Some and' });
      expect(play.methods()).toEqual(['send']);
      await play.show({ text: 'Some and more', state: 'done' });
      expect(play.methods()).toEqual(['send', 'send']);
      const texts = rig.texts(play.turn);
      expect(texts).toEqual(fault === 'reset' ? ['Some', 'Some and more'] : ['Some and more']);
      expect(cards(play)).toContain(DOUBT);
    }
  });

  it('an unconfirmed “Thinking…” does not delay the answer, and is not repeated', async () => {
    for (const fault of ['reset', 'refuse'] as const) {
      const play = playIn(rig, { kind: 'room' });
      rig.fake.plant({ kind: fault, method: 'send' });
      const steps = [{ id: '1', name: 'Search the manual', state: 'running' }] as const;
      await play.show({ state: 'thinking', steps });
      await play.show({ steps: [...steps, { id: '2', name: 'Read', state: 'running' }] });
      expect(play.methods()).toEqual(['send']);
      await play.show({ state: 'writing', text: 'Some' });
      expect(play.methods().slice(0, 2)).toEqual(['send', 'send']);
      expect(rig.texts(play.turn).at(-1)).toBe('Some');
      await play.show({ state: 'done', text: 'Some and more' });
      expect(rig.texts(play.turn).at(-1)).toBe('Some and more');
      expect(cards(play)).toContain(DOUBT);
    }
  });

  it('no message is sent a third time', async () => {
    const play = playIn(rig, { kind: 'room' });
    rig.fake.plant({ kind: 'reset', method: 'send', count: 2 });
    play.change({ state: 'done', text: 'Whole' });
    await play.step();
    await play.step();
    expect(play.next()).toEqual([]);
    expect(rig.texts(play.turn)).toEqual(['Whole', 'Whole']);
  });

  it('an unconfirmed stream without text does not delay the answer, which grows by edits', async () => {
    const play = playIn(rig);
    rig.fake.plant({ kind: 'reset', method: 'stream' });
    await play.show({});
    await play.show({ state: 'writing', text: 'Some' });
    await play.show({ state: 'done', text: 'Some and more' });
    expect(play.methods().slice(0, 3)).toEqual(['stream', 'send', 'update']);
    expect(cards(play)).toContain(DOUBT);
  });

  it('no second stream is started', async () => {
    const play = playIn(rig);
    rig.fake.plant({ kind: 'reset', method: 'stream' });
    await play.show({ state: 'writing', text: 'Some' });
    await play.show({ text: 'Some and' });
    await play.show({ state: 'done', text: 'Some and more' });
    expect(play.methods()).toEqual(['stream', 'send']);
    expect(cards(play)).toContain(DOUBT);
  });
});

describe('a message that certainly did not arrive', () => {
  it.each([412, 429, 503])('is sent again after %i', async (status) => {
    for (const kind of ['room', 'direct'] as const) {
      const play = playIn(rig, { kind });
      rig.fake.plant({ kind: 'status', status, count: 2 });
      await play.show({ state: 'writing', text: 'Some' });
      rig.fake.plant({ kind: 'status', status, count: 2 });
      await play.show({ state: 'done', text: 'Some and more' });
      expect(rig.texts(play.turn)).toEqual(['Some and more']);
      expect(cards(play)).not.toContain(DOUBT);
      const why = status === 429 ? 'rate' : 'busy';
      expect(play.outcomes().filter(({ kind: is }) => is === 'refused')).toHaveLength(4);
      expect(play.outcomes()[0]).toMatchObject({ kind: 'refused', why });
    }
  });

  it.each([502, 504])('is sent again after %i, once a look-up did not find it', async (status) => {
    const play = playIn(rig, { kind: 'room', reads: true });
    rig.fake.plant({ kind: 'status', status, method: 'send' });
    await play.show({ state: 'writing', text: 'Some' });
    rig.fake.plant({ kind: 'status', status, method: 'update', count: 2 });
    await play.show({ state: 'done', text: 'Some and more' });
    expect(rig.texts(play.turn)).toEqual(['Some and more']);
  });
});

describe('if Teams accepts no more messages', () => {
  it.each([
    [403, 'BotNotInConversationRoster'],
    [403, 'ConversationBlockedByUser'],
    [403, 'BotDisabledByAdmin'],
    [403, 'ForbiddenOperationException'],
    [403, 'MessageWritesBlocked'],
    [404, 'BotNotInConversationRoster'],
  ])('no message is posted again, and the place is forgotten (%i %s)', async (status, code) => {
    for (const kind of ['room', 'direct'] as const) {
      const play = playIn(rig, { kind });
      await play.show({ state: 'writing', text: 'Half' });
      const { room } = play.turn.message.thread;
      rig.fake.plant({ kind: 'status', status, code, conversation: room, count: 100 });
      play.change({ text: 'Half and more' });
      await play.step();
      expect(play.outcomes().at(-1)).toEqual({ kind: 'refused', why: 'gone' });
      expect(play.screen).toMatchObject({ parts: [], finished: true });
      await play.show({ state: 'done' });
      expect(play.methods()).toHaveLength(2);
      expect(rig.forgotten.splice(0)).toEqual([room]);
      rig.fake.clearFaults();
    }
  });

  it('a message that a person deleted is not posted again, and the place is kept', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'Half' });
    const [message] = rig.messages(play.turn);
    if (message === undefined) throw new Error('no message');
    message.deletedAt = rig.now();
    play.change({ text: 'Half and more' });
    await play.step();
    await play.show({ state: 'done' });
    expect(rig.texts(play.turn)).toEqual([]);
    expect(rig.forgotten).toEqual([]);
  });

  it('no call is made in an unknown place', async () => {
    const play = playIn(rig, { kind: 'group' });
    rig.forgotten.push(play.turn.message.thread.room);
    play.change({ state: 'done', text: 'Whole' });
    await play.step();
    expect(play.outcomes()).toEqual([{ kind: 'refused', why: 'gone' }]);
    expect(play.calls()).toEqual([]);
    rig.forgotten.length = 0;
  });
});
