/** Writes every text of the hostile corpora to the fake Slack, which checks blocks as Slack does. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveControls } from '../../../fakes/slack/index.ts';
import { examples, naughty } from '../../reply/markdown/hostile.ts';
import { EDITS, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ echoes: false });
});
afterAll(() => rig.close());

/** Joins texts into groups that each fit into one message. */
function* together(texts: readonly string[], chars: number): Iterable<string> {
  let said = '';
  for (const text of texts) {
    if (said.length + text.length > chars) {
      yield said;
      said = '';
    }
    said += `${text}\n\n`;
  }
  yield said;
}

const commonmark = examples.map(({ markdown }) => markdown);
const gfm: readonly string[] = [
  '| foo | bar |\n| --- | --- |\n| baz | bim |',
  '| abc | defghi |\n:-: | -----------:\nbar | baz',
  '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |',
  '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar',
  '| abc | def |\n| --- |\n| bar |',
  '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
  '| abc | def |\n| --- | --- |',
  '- [ ] foo\n- [x] bar',
  '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim',
  '~~Hi~~ Hello, ~there~ world!',
  'This will ~~~not~~~ strike.',
  'Visit www.commonmark.org/help for more information.',
  '<title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.',
];

const expectNothingLive = (play: Play) => {
  const messages = rig.messages(play.turn);
  expect(messages.length).toBeGreaterThan(0);
  const live = messages.flatMap((message) => [...liveControls(message)]);
  expect(live.filter(({ kind }) => kind !== 'link')).toEqual([]);
  expect(live.filter(({ target }) => !/^(?:https?:\/\/|mailto:)/i.test(target))).toEqual([]);
};

it.each([
  ['a stream', undefined],
  ['edits', EDITS],
])(
  'by %s, each text alone and cut, without a live mention, a foreign image or an invalid block',
  async (_, choose) => {
    const failed = rig.fake.log.failed().length;
    for (const text of [...gfm, ...naughty, ...commonmark]) {
      const play = playIn(rig, choose);
      const cut = text.slice(0, (text.length * 2) / 3);
      if (cut.trim() !== '') await play.show({ state: 'writing', text: cut });
      await play.show({ state: 'done', text, suggestions: [text], notices: [{ tone: 'info', text }] });
      expectNothingLive(play);
    }
    expect(rig.fake.log.failed().slice(failed)).toEqual([]);
  },
  180_000,
);

it('long answers of many texts are accepted', async () => {
  const failed = rig.fake.log.failed().length;
  for (const text of together([...naughty, ...commonmark, ...gfm], 20_000)) {
    const play = playIn(rig, EDITS);
    await play.show({ state: 'done', text });
    expectNothingLive(play);
  }
  expect(rig.fake.log.failed().slice(failed)).toEqual([]);
}, 120_000);
