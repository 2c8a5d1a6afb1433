/** Tests each limit of Block Kit at the limit itself and one step beyond. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tablesIn } from '../../fakes/slack/checks/markdown-tables.ts';
import { type FakeSlack, startFakeSlack } from '../../fakes/slack/index.ts';
import { call, fakeSlack } from './wire.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const x = (count: number) => 'x'.repeat(count);
const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
const button = (more: object = {}) => ({ type: 'button', text: plain('Go'), ...more });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const option = (value: string) => ({ text: plain('One'), value });
const cell = (text = 'x') => ({ type: 'raw_text', text });
const table = (rows: number, columns: number) => ({
  type: 'table',
  rows: times(rows, () => times(columns, () => cell())),
});
const feedback = (value: string) => ({
  type: 'feedback_buttons',
  positive_button: { text: plain('Good'), value },
  negative_button: { text: plain('Bad'), value },
});

/** Functions that make valid blocks at a limit (0), and the same blocks one step beyond it (1). */
const edges: readonly [string, (beyond: number) => object[]][] = [
  ['50 blocks', (n) => times(50 + n, () => ({ type: 'divider' }))],
  ['section text of 3,000', (n) => [{ type: 'section', text: mrkdwn(x(3_000 + n)) }]],
  ['10 fields', (n) => [{ type: 'section', fields: times(10 + n, () => mrkdwn('x')) }]],
  ['a field of 2,000', (n) => [{ type: 'section', fields: [mrkdwn(x(2_000 + n))] }]],
  ['a header of 150', (n) => [{ type: 'header', text: plain(x(150 + n)) }]],
  ['10 elements of context', (n) => [{ type: 'context', elements: times(10 + n, () => mrkdwn('x')) }]],
  ['context of 3,000', (n) => [{ type: 'context', elements: [mrkdwn(x(3_000 + n))] }]],
  [
    'a title of 2,000 over an image',
    (n) => [
      { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'x', title: plain(x(2_000 + n)) },
    ],
  ],
  ['25 actions', (n) => [actions(...times(25 + n, () => button()))]],
  ['a label of 75', (n) => [actions(button({ text: plain(x(75 + n)) }))]],
  ['an action_id of 255', (n) => [actions(button({ action_id: x(255 + n) }))]],
  ['a value of 2,000', (n) => [actions(button({ value: x(2_000 + n) }))]],
  ['an address of 3,000', (n) => [actions(button({ url: x(3_000 + n) }))]],
  ['a block_id of 255', (n) => [{ type: 'divider', block_id: x(255 + n) }]],
  [
    'alt_text of 2,000',
    (n) => [{ type: 'image', image_url: 'https://example.com/a.png', alt_text: x(2_000 + n) }],
  ],
  [
    '100 options',
    (n) => [
      actions({ type: 'static_select', action_id: 'a', options: times(100 + n, (i) => option(`v${i}`)) }),
    ],
  ],
  [
    'an option of 75',
    (n) => [
      actions({ type: 'static_select', action_id: 'a', options: [{ text: plain(x(75 + n)), value: 'v' }] }),
    ],
  ],
  [
    '5 options of an overflow',
    (n) => [actions({ type: 'overflow', options: times(5 + n, (i) => option(`v${i}`)) })],
  ],
  [
    '10 radio buttons',
    (n) => [actions({ type: 'radio_buttons', options: times(10 + n, (i) => option(`v${i}`)) })],
  ],
  [
    'a placeholder of 150',
    (n) => [actions({ type: 'static_select', placeholder: plain(x(150 + n)), options: [option('v')] })],
  ],
  ['5 context actions', (n) => [{ type: 'context_actions', elements: times(5 + n, () => feedback('v')) }]],
  ['a feedback value of 2,000', (n) => [{ type: 'context_actions', elements: [feedback(x(2_000 + n))] }]],
  ['100 rows', (n) => [table(100 + n, 1)]],
  ['20 columns', (n) => [table(1, 20 + n)]],
  [
    '50 tasks',
    (n) => [
      {
        type: 'plan',
        title: 'Plan',
        tasks: times(50 + n, (i) => ({ type: 'task_card', task_id: `t${i}`, title: 'x', status: 'pending' })),
      },
    ],
  ],
];

const wrong: readonly [string, object[], string][] = [
  ['an empty text', [{ type: 'section', text: mrkdwn('') }], 'invalid_blocks'],
  ['an empty cell', [{ type: 'table', rows: [[cell('')]] }], 'invalid_blocks'],
  [
    'an empty leaf',
    [
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }],
      },
    ],
    'invalid_blocks',
  ],
  ['a header with markup', [{ type: 'header', text: mrkdwn('x') }], 'invalid_blocks'],
  ['a button with markup', [actions(button({ text: mrkdwn('x') }))], 'invalid_blocks'],
  ['an unknown kind', [{ type: 'fancy' }], 'invalid_blocks'],
  ['an unknown field', [{ type: 'divider', colour: 'red' }], 'invalid_blocks'],
  [
    'the same block_id twice',
    [
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ],
    'invalid_blocks',
  ],
  [
    'the same action_id twice',
    [actions(button({ action_id: 'a' }), button({ action_id: 'a' }))],
    'invalid_blocks',
  ],
  [
    'an image of no file',
    [{ type: 'image', slack_file: { id: 'F0NOTHERE' }, alt_text: 'x' }],
    'invalid_blocks',
  ],
  [
    'an image without alt_text',
    [{ type: 'image', image_url: 'https://example.com/a.png' }],
    'invalid_blocks',
  ],
  ['a table too many', [table(1, 1), table(1, 1)], 'invalid_attachments'],
  [
    'a written table too many',
    [{ type: 'markdown', text: '|a|\n|-|\n|b|\n\n\n|a|\n|-|\n|b|' }],
    'invalid_attachments',
  ],
  ['a block of 12,001 of Markdown', [{ type: 'markdown', text: x(12_001) }], 'invalid_blocks'],
  [
    '12,001 of Markdown together',
    [
      { type: 'markdown', text: x(12_000) },
      { type: 'markdown', text: 'x' },
    ],
    'msg_blocks_too_long',
  ],
];

describe('blocks of a message', () => {
  let fake: FakeSlack;
  beforeAll(async () => {
    fake = await startFakeSlack({ limits: { off: true } });
  });
  afterAll(() => fake.close());
  const post = async (blocks: object[]) => {
    fake.log.clear();
    const channel = fake.workspace().channel();
    const answer = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x', blocks });
    return { answer, violations: [...fake.log.violations] };
  };

  test.each(edges)('accepts %s and no more', async (_, blocks) => {
    const fits = await post(blocks(0));
    expect(fits).toMatchObject({ answer: { ok: true }, violations: [] });
    expect((await post(blocks(1))).answer).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: {
        messages: expect.arrayContaining([expect.stringContaining('json-pointer:/blocks')]),
      },
    });
  });

  test.each(wrong)('refuses %s', async (_, blocks, error) => {
    expect((await post(blocks)).answer.error).toBe(error);
  });

  test('accepts rich text, tasks and tables as documented', async () => {
    const rich = {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }],
    };
    const task = {
      type: 'task_card',
      task_id: 't',
      title: 'x',
      status: 'complete',
      details: rich,
      sources: [{ type: 'url', url: 'https://example.com', text: 'x' }],
    };
    const rows = [[rich, cell(), { type: 'raw_number', value: 1, text: '1' }]];
    const { answer, violations } = await post([
      rich,
      task,
      { type: 'table', rows, column_settings: [{ align: 'right', is_wrapped: true }] },
    ]);
    expect({ answer, violations }).toMatchObject({ answer: { ok: true }, violations: [] });
  });
});

test('counts tables of Markdown outside of code', () => {
  const one = '| a | b |\n|---|:-:|\n| 1 | 2 |\n';
  expect(tablesIn(one)).toBe(1);
  expect(tablesIn(`${one}\n${one}`)).toBe(2);
  expect(tablesIn(`\`\`\`\n${one}\`\`\`\n${one}`)).toBe(1);
  expect(tablesIn('Title\n---\na | b\n')).toBe(0);
});

describe('a modal', () => {
  const open = async (more: object) => {
    const fake = await fakeSlack();
    const person = fake.workspace().person();
    const { payload } = person.uses('ask_anywhere');
    const view = { type: 'modal', title: plain('Ask'), blocks: [], ...more };
    const answer = await call(fake, 'views.open', { trigger_id: payload.trigger_id, view });
    return { answer, fake };
  };
  const input = { type: 'input', label: plain('What?'), element: { type: 'plain_text_input' } };
  const views: readonly [string, (beyond: number) => object][] = [
    ['a title of 24', (n) => ({ title: plain(x(24 + n)) })],
    ['a button of 24', (n) => ({ submit: plain(x(24 + n)) })],
    ['private_metadata of 3,000', (n) => ({ private_metadata: x(3_000 + n) })],
    ['a callback_id of 255', (n) => ({ callback_id: x(255 + n) })],
    ['100 blocks', (n) => ({ blocks: times(100 + n, () => ({ type: 'divider' })) })],
  ];
  test.each(views)('accepts %s and no more', async (_, view) => {
    const fits = await open(view(0));
    expect(fits.answer.ok).toBe(true);
    expect(fits.fake.log.violations).toEqual([]);
    expect((await open(view(1))).answer.error).toBe('invalid_arguments');
  });

  test('accepts 250,000 characters in total', async () => {
    const blocks = (last: number) => [
      ...times(84, () => ({ type: 'section', text: mrkdwn(x(2_900)) })),
      { type: 'section', text: mrkdwn(x(last)) },
    ];
    const bare = JSON.stringify({ type: 'modal', title: plain('Ask'), blocks: blocks(1) }).length - 1;
    expect((await open({ blocks: blocks(250_000 - bare) })).answer.ok).toBe(true);
    expect((await open({ blocks: blocks(250_001 - bare) })).answer.error).toBe('view_too_large');
  });

  test('with inputs requires a submit button', async () => {
    expect((await open({ blocks: [input] })).answer.error).toBe('invalid_arguments');
    expect((await open({ blocks: [input], submit: plain('Send') })).answer.ok).toBe(true);
  });

  test('refuses Markdown blocks', async () => {
    expect((await open({ blocks: [{ type: 'markdown', text: 'x' }] })).answer.error).toBe(
      'invalid_arguments',
    );
  });
});
