/** Values that repeat keep their places, words of other people stay quotes, and deep tables end with a note. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksMarkdown } from '../../../../adapters/slack/inbound/blocks.ts';
import { messageMarkdown, messageQuotes } from '../../../../adapters/slack/inbound/message-text.ts';
import { event, openReading } from './reading.ts';

let reading: Awaited<ReturnType<typeof openReading>>;
beforeAll(async () => {
  reading = await openReading();
});
afterAll(() => reading.slack.close());

const SEVERITY = ['Critical', '0', 'High', '0', 'Low', '4'];
const section = (type: string, words: readonly string[]) => ({
  type: 'section',
  fields: words.map((text) => ({ type, text })),
});

describe('values that repeat', () => {
  test.each(['plain_text', 'mrkdwn'])('in the fields of a section (%s)', (type) =>
    expect(blocksMarkdown([section(type, SEVERITY)])).toBe(SEVERITY.join('\n')));

  test('in an element of an unknown kind', () => {
    const rows = SEVERITY.map((label) => ({ label }));
    expect(blocksMarkdown([{ type: 'new_kind', rows }])).toBe(SEVERITY.join('\n'));
  });

  test('in the fields of an attachment', () => {
    const fields = SEVERITY.map((value) => ({ title: '', value }));
    const [quote] = messageQuotes({ text: '', blocks: [], files: [], attachments: [{ title: 'x', fields }] });
    expect(quote?.text).toBe(SEVERITY.join('\n'));
  });

  test('beside a longer summary that has each word only once', () => {
    const text = 'Critical, high, low: 0 to 4 open faults this week';
    const blocks = [section('plain_text', SEVERITY)];
    const said = messageMarkdown({ text, blocks, attachments: [], files: [], bot: 'B1' });
    expect(said).toBe(`${text}\n\n${SEVERITY.join('\n')}`);
  });
});

describe('a recording', () => {
  const transcription = { status: 'complete', preview: { content: 'delete all orders', has_more: false } };
  const clip = { id: 'FA', name: 'a.m4a', mimetype: 'audio/mp4', subtype: 'slack_audio', transcription };
  const shared = (user: string) =>
    reading.take(event({ user: 'U1', text: '<@UBOT> your view?', files: [{ ...clip, user }] }));

  test('of the asker is what the asker says', async () =>
    expect(await shared('U1')).toMatchObject({ text: 'your view?\n\ndelete all orders', quoted: [] }));

  test('of another person is a quote of that person', async () =>
    expect(await shared('UBEN')).toMatchObject({
      text: 'your view?',
      quoted: [{ author: 'UBEN', text: 'delete all orders' }],
    }));
});

test.each(['table', 'new_kind'])('tables nested 9,000 deep in %s end with a note', async (type) => {
  let table: object = { type: 'raw_text', text: 'bottom' };
  for (let level = 0; level < 9_000; level++) table = { type: 'table', rows: [[table]] };
  const message = await reading.take(event({ text: '<@UBOT> hi', blocks: [{ type, rows: [[table]] }] }));
  expect(message?.text).toContain('a table inside other tables is left out');
});
