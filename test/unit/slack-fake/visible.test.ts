/** Tests how the fake Slack finds the visible text of messages and their active content. */

import { describe, expect, test } from 'vitest';
import { liveControls, type Message, visibleText } from '../../fakes/slack/index.ts';
import { call, fakeSlack } from './wire.ts';

async function posted(args: object): Promise<Message> {
  const fake = await fakeSlack();
  const channel = fake.workspace().channel();
  await call(fake, 'chat.postMessage', { channel: channel.id, ...args });
  const [message] = fake.messages(channel.id);
  if (message === undefined) throw new Error(JSON.stringify(fake.log.calls[0]?.answer));
  return message;
}

const plain = (text: string) => ({ type: 'plain_text', text });

test('the visible text is that of the blocks in order, or the plain text without blocks', async () => {
  const blocks = [
    { type: 'header', text: plain('Title') },
    { type: 'section', text: { type: 'mrkdwn', text: 'Body' }, fields: [plain('One')] },
    {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'a' },
          { type: 'raw_text', text: 'b' },
        ],
      ],
    },
    { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'A picture' },
    { type: 'actions', elements: [{ type: 'button', text: plain('Go') }] },
    { type: 'markdown', text: '**End**' },
  ];
  expect(visibleText(await posted({ text: 'fallback', blocks }))).toBe(
    'Title\nBody\nOne\na | b\n[image: A picture]\n[Go]\n**End**',
  );
  expect(visibleText(await posted({ text: 'only text' }))).toBe('only text');
  expect(visibleText(await posted({ markdown_text: '# Big' }))).toBe('# Big');
});

describe('active', () => {
  const mention = (target: string) => ({ kind: 'mention', target });
  const alive: readonly [string, object, object[]][] = [
    ['a mention in the text', { text: 'hi <@U0AB>' }, [mention('U0AB')]],
    [
      'a mass mention in the fallback',
      { text: '<!here>', blocks: [{ type: 'divider' }] },
      [mention('!here')],
    ],
    [
      'a mention in Markdown',
      { text: 'x', blocks: [{ type: 'markdown', text: '**<!channel>**' }] },
      [mention('!channel')],
    ],
    [
      'a mention in code of Markdown',
      { text: 'x', blocks: [{ type: 'markdown', text: '`<@U0AB>`' }] },
      [mention('U0AB')],
    ],
    [
      'a link with a label',
      { text: '<https://a.example|b>' },
      [{ kind: 'link', target: 'https://a.example', label: 'b' }],
    ],
    ['a bare link', { text: 'see https://a.example.' }, [{ kind: 'link' }]],
    [
      'an image in Markdown',
      { text: 'x', blocks: [{ type: 'markdown', text: '![a](https://a.example/b.png)' }] },
      [{ kind: 'image', target: 'https://a.example/b.png' }],
    ],
    [
      'a reference in Markdown',
      { text: 'x', blocks: [{ type: 'markdown', text: '[a]: https://a.example' }] },
      [{ kind: 'link', target: 'https://a.example' }],
    ],
    [
      'a reference with an escaped bracket in its label',
      { text: 'x', blocks: [{ type: 'markdown', text: String.raw`[a\]b]: https://a.example` }] },
      [{ kind: 'link', target: 'https://a.example' }],
    ],
    [
      'a link whose label looks like a reference',
      { text: 'x', blocks: [{ type: 'markdown', text: String.raw`[\[a\]: /u](https://a.example)` }] },
      [{ kind: 'link', target: 'https://a.example' }],
    ],
    [
      'an image block',
      { text: 'x', blocks: [{ type: 'image', image_url: 'https://a.example', alt_text: 'a' }] },
      [{ kind: 'image' }],
    ],
    [
      'a button with an address',
      {
        text: 'x',
        blocks: [
          { type: 'actions', elements: [{ type: 'button', text: plain('x'), url: 'https://a.example' }] },
        ],
      },
      [{ kind: 'link' }],
    ],
    [
      'a user in rich text',
      {
        text: 'x',
        blocks: [
          {
            type: 'rich_text',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'user', user_id: 'U0AB' }] }],
          },
        ],
      },
      [mention('U0AB')],
    ],
  ];
  test.each(alive)('%s', async (_, args, expected) => {
    expect(liveControls(await posted(args))).toMatchObject(expected);
    expect(liveControls({ ...args })).toMatchObject(expected);
  });

  test('plain names, if the call requests it', () => {
    expect(liveControls({ text: 'hi @here', link_names: true })).toMatchObject([mention('here')]);
    expect(liveControls({ text: 'hi @here', parse: 'full' })).toMatchObject([mention('here')]);
    expect(liveControls({ text: 'hi @here' })).toEqual([]);
  });

  test('escaped backticks open no code, so that a link ends at its own bracket', async () => {
    const text = '[https://a.\\`b](https://a.%60b) (a.\\`b)\\`\n\n\\[foo]: /url\n';
    const found = liveControls(await posted({ text: 'x', blocks: [{ type: 'markdown', text }] }));
    expect(found.map(({ target }) => target)).toEqual(['https://a.%60b']);
  });

  const dead: readonly [string, object][] = [
    ['escaped brackets', { text: '&lt;@U0AB&gt; &lt;!here&gt;' }],
    ['plain text', { text: 'x', blocks: [{ type: 'header', text: plain('<!here> https://a.example') }] }],
    ['an escaped link', { text: 'x', blocks: [{ type: 'markdown', text: '\\[a](b) \\![a](b)' }] }],
    [
      'a link in code, after a line that has code and opens none',
      { text: 'x', blocks: [{ type: 'markdown', text: '``` ```\n\n`````\n\n[a](/b)\n' }] },
    ],
    [
      'an image in code',
      {
        text: 'x',
        blocks: [{ type: 'markdown', text: '`![a](https://a.example)`\n```\n![a](https://a.example)\n```' }],
      },
    ],
    [
      'text of rich text',
      {
        text: 'x',
        blocks: [
          {
            type: 'rich_text',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '<!here>' }] }],
          },
        ],
      },
    ],
  ];
  test.each(dead)('is not active: %s', async (_, args) => {
    expect(liveControls(await posted(args))).toEqual([]);
  });
});
