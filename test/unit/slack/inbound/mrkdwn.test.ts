import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageMarkdown, messageQuotes } from '../../../../adapters/slack/inbound/message-text.ts';
import { mrkdwnMarkdown } from '../../../../adapters/slack/inbound/mrkdwn.ts';
import type { SlackMessage } from '../../../../adapters/slack/receive/events.ts';

const cases: readonly [string, string, string][] = [
  ['bold, italic, struck', '*bold* _it_ ~gone~', '**bold** _it_ ~~gone~~'],
  ['stars that are no marks', '2 * 3 * 4 and a*b*c', '2 * 3 * 4 and a*b*c'],
  [
    'links',
    '<https://example.org/|the page> <https://example.org/>',
    '[the page](https://example.org/) https://example.org/',
  ],
  ['a typed mail address', '<mailto:a@example.org|a@example.org>', 'a@example.org'],
  ['a typed number', '<tel:+41441234567|+41 44 123 45 67>', '+41 44 123 45 67'],
  ['a named mail address', '<mailto:a@example.org|Ada>', '[Ada](mailto:a@example.org)'],
  ['a named number', '<tel:0441234567|Ada 7>', '[Ada 7](tel:0441234567)'],
  ['people and rooms', '<@U1> <@U2|two> <#C1|field> <#C2>', '<@U1> <@U2|two> #field <#C2>'],
  [
    'groups and everyone',
    '<!here> <!channel|channel> <!subteam^S1|@ops> <!date^1^{date}|1970>',
    '@here @channel @ops 1970',
  ],
  ['entities', '1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
  ['code in a line', 'run `a *b* <https://example.org/|x>` now', 'run `a *b* x` now'],
  ['a block of code', 'see ```\na < b\n``` there', 'see \n```\na < b\n```\n there'],
  ['a block of code at once', '```x```', '```\nx\n```'],
  ['two blocks of code', '```x``````y```', '```\nx\n```\n```\ny\n```'],
  ['an unclosed block', '```x', '```x'],
  [
    'unknown angles',
    '<script>alert(1)</script> <javascript:x|y>',
    '<script>alert(1)</script> <javascript:x|y>',
  ],
];

test.each(cases)('%s', (_, given, markdown) => expect(mrkdwnMarkdown(given)).toBe(markdown));

const message = (over: Partial<SlackMessage>): SlackMessage => ({
  conversation: 'C1',
  ts: '1.0',
  text: '',
  blocks: [],
  attachments: [],
  files: [],
  ...over,
});

describe('any content of a message', () => {
  const naughty = createRequire(import.meta.url)('big-list-of-naughty-strings') as readonly string[];

  test('naughty strings in blocks arrive as they were typed', () => {
    expect(naughty.length).toBeGreaterThan(400);
    for (const text of naughty) {
      expect(() => messageMarkdown(message({ text }))).not.toThrow();
      const blocks = [
        { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
      ];
      expect(messageMarkdown(message({ blocks, text: 'older' }))).toBe(
        text.trim() === '' ? 'older' : text.trim(),
      );
    }
  });

  test('never loses the message', () => {
    fc.assert(
      fc.property(
        fc.array(fc.anything()),
        fc.array(fc.anything()),
        fc.string(),
        (blocks, attachments, text) => {
          const given = message({ blocks, attachments, text });
          expect(typeof messageMarkdown(given)).toBe('string');
          expect(Array.isArray(messageQuotes(given))).toBe(true);
        },
      ),
    );
  });

  test('includes the blocks of apps', () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Pump 7' } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: 'is *hot*' },
        fields: [{ type: 'mrkdwn', text: '90 °C' }],
      },
      { type: 'divider' },
      { type: 'image', alt_text: 'a chart', image_url: 'https://example.org/x.png' },
      {
        type: 'context',
        elements: [
          { type: 'plain_text', text: 'from' },
          { type: 'mrkdwn', text: '_sensors_' },
        ],
      },
      { type: 'markdown', text: '**look**' },
    ];
    expect(messageMarkdown(message({ blocks }))).toBe(
      '## Pump 7\n\nis **hot**\n90 °C\n\n---\n\na chart\n\nfrom _sensors_\n\n**look**',
    );
  });
});
