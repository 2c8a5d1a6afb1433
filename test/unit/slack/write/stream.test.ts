/** Tests native streams: their content, their end, and what happens if Slack refuses to end them. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Step } from '../../../../src/kit/ladder.ts';
import { only, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
const stopped: string[] = [];
beforeAll(async () => {
  rig = await openRig({ stopped: ({ id }) => void stopped.push(id) });
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const whole = (play: Play) => rig.texts(play.turn).join('');

describe('the size of a stream', () => {
  it('is counted in bytes: 9,000 Chinese characters continue in further messages', async () => {
    const play = playIn(rig);
    const text = '保修期为两年。'.repeat(1_286);
    for (let at = 700; at < text.length; at += 700)
      await play.show({ state: 'writing', text: text.slice(0, at) });
    await play.show({ text, state: 'done' });
    expect(play.moves.every(({ outcome }) => outcome.kind === 'done')).toBe(true);
    expect(rig.messages(play.turn)).toHaveLength(4);
    expect(whole(play)).toBe(text);
  });

  it('includes titles and details of tasks, and a stream shows only tasks that leave room for the answer', async () => {
    const play = playIn(rig);
    const steps = Array.from({ length: 60 }, (_, nth): Step => {
      return {
        id: `step ${nth}`,
        name: `Search ${nth} ${'é'.repeat(90)}`,
        detail: 'ü'.repeat(120),
        state: 'running',
      };
    });
    for (let nth = 4; nth <= steps.length; nth += 4) await play.show({ steps: steps.slice(0, nth) });
    const done = steps.map((step): Step => ({ ...step, state: 'done' }));
    const text = 'Two years of warranty. '.repeat(350);
    await play.show({ steps: done, state: 'writing', text });
    await play.show({ state: 'done' });
    expect(play.moves.every(({ outcome }) => outcome.kind === 'done')).toBe(true);
    expect(whole(play).trim()).toBe(text.trim());
    const [first] = rig.messages(play.turn);
    expect(first?.tasks.length).toBeGreaterThan(3);
    expect(first?.tasks.every(({ status }) => status === 'complete')).toBe(true);
  });

  it('accepts step ids of any length', async () => {
    const play = playIn(rig);
    const steps: Step[] = ['a', 'b'].map((end) => {
      return { id: `${'x'.repeat(400)}${end}`, name: `Step ${end}`, state: 'done' };
    });
    await play.show({ steps, state: 'writing', text: 'Found.' });
    await play.show({ state: 'done' });
    expect(play.families()).toEqual(['startStream', 'stopStream']);
    expect(rig.messages(play.turn)[0]?.tasks.map(({ title }) => title)).toEqual(['Step a', 'Step b']);
  });
});

it('a message that ends before the answer leaves no task running, and the next message goes on with it', async () => {
  const play = playIn(rig);
  const step: Step = { id: 'a', name: 'Search', state: 'running' };
  const text = 'Two years of warranty. '.repeat(600);
  await play.show({ steps: [step], state: 'writing', text });
  const statuses = () => rig.messages(play.turn).map(({ tasks }) => tasks.map(({ status }) => status));
  expect(statuses()).toEqual([['complete'], ['in_progress']]);
  await play.show({ steps: [{ ...step, state: 'failed' }], state: 'done' });
  expect(statuses()).toEqual([['complete'], ['error']]);
  expect(whole(play).trim()).toBe(text.trim());
});

it('an app without a user, which is no recipient, gets the whole answer without a stream', async () => {
  const { message, ...asked } = rig.ask();
  const sender = { ...message.sender, id: 'B0ALERTS', standing: 'bot' as const };
  const play = playIn(rig, undefined, { ...asked, message: { ...message, sender } });
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ text: 'One two.', state: 'done' });
  expect(play.families()).toEqual(['postMessage', 'update']);
  expect(whole(play)).toBe('One two.');
});

describe('sources that arrive after the end', () => {
  const late = { sources: [{ key: 'k', title: 'Manual', kind: 'document' as const, fragments: [] }] };

  it('use the edit that a stream has reserved', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ text: 'One two.', state: 'done' });
    await play.show(late);
    expect(play.families()).toEqual(['startStream', 'stopStream', 'update']);
    expect(play.moves.at(-1)?.essential).toBe(true);
    expect(JSON.stringify(rig.messages(play.turn))).toContain('Manual');
  });
});

describe('the end of a stream', () => {
  it('is appended at once if no stop is available', async () => {
    const play = playIn(rig, only('chat.startStream', 'chat.appendStream', 'chat.stopStream', 'chat.update'));
    await play.show({ state: 'writing', text: 'The first' });
    play.change({ text: 'The first and last words.', state: 'done' });
    expect(play.next().map(({ family, essential }) => [family, essential])).toEqual([
      ['chat.stopStream', true],
      ['chat.appendStream', true],
    ]);
    const withoutStop = playIn(rig, (moves) => moves.find(({ family }) => family !== 'chat.stopStream'));
    await withoutStop.show({ state: 'writing', text: 'The first' });
    withoutStop.change({ text: 'The first and last words.', state: 'done' });
    await withoutStop.step();
    expect(whole(withoutStop)).toBe('The first and last words.');
    expect(withoutStop.next().map(({ family }) => family)).toEqual(['chat.stopStream']);
  });

  it('is shown by an edit if Slack refuses two stops', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'error', error: 'msg_too_long', method: 'chat.stopStream', count: 99 });
    play.change({ text: 'One two.', state: 'done' });
    for (let made = 0; made < 3; made++) await play.step();
    expect(play.families()).toEqual(['startStream', 'stopStream', 'stopStream', 'update']);
  });

  it('is shown by a post if Slack refuses the edit of the stream, too', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'error', error: 'msg_too_long', method: 'chat.stopStream', count: 99 });
    await play.show({ text: 'One two.', state: 'done' });
    expect(play.families()).toEqual(['startStream', 'stopStream', 'stopStream', 'update', 'postMessage']);
    expect(rig.texts(play.turn)).toEqual(['One', 'One two.']);
  });

  it('by Slack’s own Stop also ends the turn', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.stop(play.turn);
    expect(stopped).toEqual([]);
    await play.show({ text: 'One two' });
    expect(stopped).toEqual([play.turn.id]);
  });
});
