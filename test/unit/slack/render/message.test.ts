import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pressedKind, readAction } from '../../../../adapters/slack/render/actions.ts';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { FALLBACK_BYTES, fallback } from '../../../../adapters/slack/render/fallback.ts';
import type { Form } from '../../../../adapters/slack/render/form.ts';
import { type Message, messageOf } from '../../../../adapters/slack/render/message.ts';
import type { RenderContext } from '../../../../adapters/slack/render/render-context.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../../src/kit.ts';
import { blank, documents } from '../../reply/markdown/documents.ts';
import { addressesIn, anything, rawBrackets } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';

const { ranges } = slackMarkdown;

const agents = ['knowledge', 'sales', 'legal'].map((name) => ({
  name: agentName(name),
  description: name,
  seesImages: false,
}));
const reply = {
  question: 'C1/1793491200.000100',
  room: 'C1',
  key: '1793491200.000100',
  kind: 'room',
} as const;
const context: RenderContext = {
  reply,
  images: {},
  footer: true,
  agents,
  isPrivate: false,
  offersAsSelf: false,
  offersCorrection: false,
  named: false,
  showsTasks: false,
};
const forms: readonly Form[] = ['rich', 'imageless', 'common', 'simple', 'plain'];

const whole = (document: ReplyDocument, form: Form = 'rich', how: RenderContext = context): Message =>
  messageOf(document, { begin: { at: 0, fresh: true } }, how, form);

/** Yields every text of a payload with its location: the type of its object and the name of its property. */
function* textsOf(value: unknown, member = '', holder = ''): Iterable<{ text: string; at: string }> {
  if (typeof value === 'string') yield { text: value, at: `${holder}.${member}` };
  else if (typeof value === 'object' && value !== null) {
    const kind = String(Reflect.get(value, 'type') ?? holder);
    for (const [name, inner] of Object.entries(value)) yield* textsOf(inner, name, kind);
  }
}

const lively = /<(?:[!@#]|[a-z][a-z0-9+.-]*:)/i;

function expectInert({ text, blocks }: Message): void {
  expect(rawBrackets(text)).toEqual([]);
  expect(text.replace(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
  expect(text).not.toContain('>');
  for (const { text: said, at } of textsOf(blocks)) {
    if (at === 'markdown.text') {
      expect(rawBrackets(said)).toEqual([]);
      const { links, images } = addressesIn(said);
      expect(images).toEqual([]);
      expect(links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual([]);
    } else if (at === 'link.url') expect(said).toMatch(/^(?:https?:\/\/|mailto:)/);
    else if (!/value|action_id|\.id$/.test(at)) expect(said).not.toMatch(lively);
  }
}

/** Expects a message within Slack's documented limits. */
function expectWithinLimits({ text, blocks }: Message): void {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
  expect(text).not.toBe('');
  expect(blocks.length).toBeLessThanOrEqual(50);
  const markdown = blocks.filter((block) => block.type === 'markdown');
  expect(markdown.reduce((sum, block) => sum + block.text.length, 0)).toBeLessThanOrEqual(12_000);
  expect(blocks.filter((block) => block.type === 'table').length).toBeLessThanOrEqual(1);
  const ids = new Set<string>();
  for (const block of blocks) {
    if (block.type === 'table') {
      expect(block.rows.length).toBeLessThanOrEqual(100);
      for (const row of block.rows) expect(row.length).toBeLessThanOrEqual(20);
    }
    if (block.type !== 'actions') continue;
    expect(block.elements.length).toBeLessThanOrEqual(25);
    for (const element of block.elements) {
      const own = element.action_id ?? '';
      expect(ids.has(own)).toBe(false);
      ids.add(own);
      expect(own.length).toBeLessThanOrEqual(255);
      if (element.type !== 'button') continue;
      expect(element.text.text.length).toBeLessThanOrEqual(75);
      expect(element.value?.length ?? 0).toBeLessThanOrEqual(2_000);
    }
  }
}

describe('a message', () => {
  it('contains nothing active and keeps the limits, in every form and part', () => {
    fc.assert(
      fc.property(documents, fc.constantFrom(...forms), (document, form) => {
        const parts = ranges(document.text, 3_000);
        for (const [at, { begin, to }] of parts.entries()) {
          const extent = at === parts.length - 1 ? { begin } : { begin, to };
          const message = messageOf(document, extent, context, form);
          expectInert(message);
          expectWithinLimits(message);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('splits 50,000 characters into messages that Slack accepts', () => {
    const document = { ...blank, text: plausibleText(50_000) };
    const parts = ranges(document.text, 11_000);
    for (const { begin, to } of parts)
      expectWithinLimits(messageOf(document, { begin, to }, context, 'rich'));
  });

  it('shows a table as a native table, in its place', () => {
    const text =
      'Before\n\n| a | **b** |\n| :-: | --- |\n| [x](https://h.example/) | `<!here>` [7] |\n\nAfter';
    const source = { key: 'k', title: 'T', kind: 'document' as const, mark: 7, fragments: [] };
    const { blocks } = whole({ ...blank, text, sources: [source] });
    expect(blocks.map(({ type }) => type).slice(0, 3)).toEqual(['markdown', 'table', 'markdown']);
    expect(blocks[1]).toMatchObject({
      column_settings: [{ align: 'center' }, { align: 'left' }],
      rows: [
        [{ type: 'rich_text' }, { type: 'rich_text' }],
        [
          { elements: [{ elements: [{ type: 'link', url: 'https://h.example/', text: 'x' }] }] },
          { elements: [{ elements: [{ text: '<\u2060!here>', style: { code: true } }, { text: ' [1]' }] }] },
        ],
      ],
    });
  });

  it('shows a second table, and a table that is too wide, as code', () => {
    const table = '| a | bb |\n| --- | --- |\n| `1` | <x> |';
    const { blocks } = whole({ ...blank, text: `${table}\n\n${table}` });
    expect(blocks.slice(0, 2)).toMatchObject([
      { type: 'table' },
      { type: 'markdown', text: '\n\n```\na  bb\n1  &lt;x&gt;\n```' },
    ]);
    const row = `| ${'a | '.repeat(21)}\n`;
    expect(whole({ ...blank, text: `${row}${row.replaceAll('a', '-')}${row}` }).blocks[0]).toMatchObject({
      text: expect.stringMatching(/^```\na {2}a/),
    });
  });

  it.each([
    ['a second table', (table: string) => `${table}\n\n${table}`, true],
    [
      'a table of 200 rows',
      (table: string) => table + '| [r](https://b.example/1) | c |\n'.repeat(200),
      true,
    ],
    ['a table without menus and Slack’s own kind', (table: string) => table, false],
  ])('keeps the links of %s as a list of its rows', (_, textOf, isRich) => {
    const table =
      '| Name | Note |\n| --- | --- |\n| [One \\| two](https://a.example/x?y=1&z=2) | **new** |\n|  | `b` |\n';
    const { blocks } = whole({ ...blank, text: textOf(table) }, isRich ? 'rich' : 'common');
    const text = blocks
      .filter(({ type }) => type === 'markdown')
      .map((block) => JSON.stringify(block))
      .join();
    expect(text).toContain('Name · Note');
    expect(text).toContain('- [One | two](https://a.example/x?y=1&z=2) · **new**');
    expect(text).toContain('- – · `b`');
    expect(text.match(/https:\/\/b\.example/g)?.length ?? 0).toBe(
      textOf(table).match(/b\.example/g)?.length ?? 0,
    );
  });

  it('numbers the sources like its text, lists five, and has a button for all', () => {
    const sources = [9, 3, 5, 6, 7, 8].map((mark) => ({
      key: `k${mark}`,
      title: `Source ${mark}`,
      kind: 'document' as const,
      mark,
      link: `https://h.example/${mark}`,
      fragments: [],
    }));
    const { blocks } = whole({ ...blank, text: 'First [3], then [9].', sources });
    expect(blocks[0]).toMatchObject({ text: 'First \\[1], then \\[2].' });
    const list3 = { ...blank, text: '- First [3]\n- then **[9]**, `[9]`', sources };
    for (const form of ['rich', 'plain'] as const)
      expect(whole(list3, form).text).toBe('- First [1]\n- then [2], [9]');
    const list = blocks.find((block) => block.type === 'markdown' && block.text.startsWith('**Sources**'));
    expect(list).toMatchObject({
      text: expect.stringMatching(
        /^\*\*Sources\*\*\n1\. \[Source 3\]\(https:\/\/h\.example\/3\)\n2\. \[Source 9\]/,
      ),
    });
    expect(JSON.stringify(list).match(/\\n\d\./g)).toHaveLength(5);
    expect(pressesOf(blocks)).toContainEqual(['sources', '']);
  });

  it('turns reference links into links, and hides their definitions', () => {
    const text =
      'See [the docs][d], [d] and [none][x]; not `[d]` nor ![pic][d].\n\n[d]: https://h.example/d "T"\n';
    const { blocks } = whole({ ...blank, text: `${text}\n\`\`\`\n[d]: code\n\`\`\`\n` });
    expect(blocks[0]).toMatchObject({
      text: expect.stringMatching(
        /^See \[the docs\]\(https:\/\/h\.example\/d\), \[d\]\(https:\/\/h\.example\/d\) and \\\[none]\\\[x]; not `\[d\]` nor /,
      ),
    });
    expect(JSON.stringify(blocks[0])).not.toContain('"T"');
    expect(JSON.stringify(blocks[0])).toContain('[d]: code');
    const sources = [{ key: 'k', title: 'T', kind: 'document' as const, mark: 2, fragments: [] }];
    const marked = whole({ ...blank, text: 'So [2].\n\n[2]: https://h.example/', sources });
    expect(marked.blocks[0]).toMatchObject({ text: expect.stringContaining('So \\[1].') });
    const same = whole({
      ...blank,
      text: 'So [1].\n\n[1]: https://h.example/',
      sources: [{ ...sources[0], mark: 1 }] as never,
    });
    expect(same.blocks[0]).toMatchObject({ text: expect.stringContaining('So \\[1].') });
    const hostile = whole({ ...blank, text: '[good.example][d]\n\n[d]: javascript:alert(1)' });
    expect(hostile.blocks[0]).toMatchObject({ text: 'good.example\n' });
  });

  it('keeps the limits if many references have a long target', () => {
    const text = `${'[d] word\n'.repeat(300)}\n\n[d]: https://h.example/${'x'.repeat(200)}`;
    expectWithinLimits(whole({ ...blank, text }));
  });

  it('offers the possible actions', () => {
    const document: ReplyDocument = {
      ...blank,
      text: 'Answer',
      suggestions: ['And then?', 'Why?'],
      editions: { shown: 2, count: 3 },
    };
    expect(pressesOf(whole(document).blocks)).toEqual([
      ['suggestion', 'And then?'],
      ['suggestion', 'Why?'],
      ['regenerate', ''],
      ['show', '1'],
      ['show', '3'],
      ['agent', 'sales'],
      ['agent', 'legal'],
      ['feedback', 'up'],
      ['feedback', 'down'],
    ]);
    expect(JSON.stringify(whole(document).blocks)).toContain(
      'Version 2 of 3 · AI-generated. Please check it.',
    );
    const failed = whole({
      ...blank,
      state: 'failed',
      retry: true,
      notices: [
        { tone: 'warning', text: 'It is slow.' },
        { tone: 'error', text: 'It broke.' },
      ],
    });
    expect(pressesOf(failed.blocks)[0]).toEqual(['retry', '']);
    expect(failed.text).toBe('It broke.');
    expect(pressesOf(whole({ ...document, state: 'writing' }).blocks)).toEqual([['stop', '']]);
  });

  it('shows frequent buttons and puts the others into one overflow menu', () => {
    const sources = [{ key: 'k', title: 'T', kind: 'document' as const, mark: 1, fragments: [] }];
    const document: ReplyDocument = { ...blank, text: 'Answer', sources, retry: true };
    const rowOf = (how: RenderContext) => {
      const row = whole(document, 'rich', how).blocks.find(({ type }) => type === 'actions');
      return row?.type === 'actions' ? row.elements : [];
    };
    const shared = { ...context, isPrivate: true, offersAsSelf: true };
    expect(rowOf(shared).map(({ type }) => type)).toEqual(['button', 'button', 'button', 'overflow']);
    expect(pressesOf(whole(document, 'rich', shared).blocks).slice(0, 7)).toEqual([
      ['sources', ''],
      ['retry', ''],
      ['share', ''],
      ['regenerate', ''],
      ['mine', ''],
      ['agent', 'sales'],
      ['agent', 'legal'],
    ]);
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...agents[0], name: agentName(name) }));
    const crowded = rowOf({ ...context, agents: many as RenderContext['agents'] });
    expect(crowded.map(({ type }) => type)).toEqual(['button', 'button', 'button', 'static_select']);
  });

  it('offers no actions of answers under the bridge’s own messages', () => {
    const { agent: _agent, ...own } = blank;
    const shown = whole({ ...own, text: 'From now on **sales** answers here.' });
    expect(shown.blocks.map(({ type }) => type)).toEqual(['markdown']);
  });

  it('shows uploaded images, and names other files', () => {
    const ref = { kind: 'file-id' as const, id: '1' };
    const media = [
      { id: 'm1', kind: 'image' as const, name: 'A <chart>', ref },
      { id: 'm2', kind: 'image' as const, name: 'Lost', ref },
      { id: 'm3', kind: 'file' as const, name: 'plan.pdf', ref, link: 'https://h.example/plan' },
    ];
    const { blocks } = whole({ ...blank, text: 'See.', media }, 'rich', { ...context, images: { m1: 'F1' } });
    expect(blocks[1]).toEqual({ type: 'image', slack_file: { id: 'F1' }, alt_text: 'A <chart>' });
    expect(blocks[2]).toMatchObject({ text: '- Lost\n- [plan.pdf](https://h.example/plan)' });
  });

  it('loses one group of blocks at each refusal: images, rarely used blocks, buttons, then all blocks', () => {
    const ref = { kind: 'file-id' as const, id: '1' };
    const document: ReplyDocument = {
      ...blank,
      text: '| a |\n| - |\n| 1 |',
      media: [{ id: 'm1', kind: 'image', name: 'Chart', ref }],
      sources: [{ key: 'k', title: 'Manual', kind: 'document', mark: 1, fragments: [] }],
    };
    const how = { ...context, images: { m1: 'F1' }, offersAsSelf: true };
    const kindsOf = (form: Form): readonly string[] =>
      whole(document, form, how).blocks.flatMap((block) =>
        block.type === 'actions' ? block.elements.map(({ type }) => type) : [block.type],
      );
    expect(kindsOf('rich')).toEqual([
      ...['table', 'image', 'markdown', 'button', 'overflow', 'context_actions', 'context'],
    ]);
    const imageless = ['table', 'markdown', 'markdown', 'button', 'overflow', 'context_actions', 'context'];
    expect(kindsOf('imageless')).toEqual(imageless);
    const common = ['markdown', 'markdown', 'markdown', 'button', 'button', 'button', 'context'];
    expect(kindsOf('common')).toEqual(common);
    expect(kindsOf('simple')).toEqual(['markdown', 'markdown', 'markdown', 'context']);
    expect(whole(document, 'simple', how).blocks).toMatchObject([
      { text: '```\na\n1\n```' },
      { text: '- Chart' },
      { text: '**Sources**\n1. Manual' },
      { type: 'context' },
    ]);
    expect(whole(document, 'plain')).toEqual({ text: 'a\n1', blocks: [] });
  });

  it.each([
    ['[page 9](https://example.com/9)', 'page 9 (https://example.com/9)'],
    ['**see [page *9*](https://example.com/9?a=1&b=2)**', 'see page 9 (https://example.com/9?a=1&amp;b=2)'],
    ['| [a](https://example.com/a) |\n| - |\n| 1 |', 'a (https://example.com/a)\n1'],
    ['<https://example.com/9>', 'https://example.com/9'],
    ['[a@example.com](mailto:a@example.com)', 'a@example.com'],
    ['- [a][b]\n\n[b]: https://example.com/b', '- a (https://example.com/b)'],
  ])('keeps the addresses of links in its simplest form: %s', (text, expected) => {
    expect(whole({ ...blank, text }, 'plain').text).toBe(expected);
  });
});

describe('the fallback text of a message', () => {
  it('is never empty, never too long, never cut inside a character, never active', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 60 }), (texts) => {
        const text = fallback(texts.join('\n\n'), 'nothing');
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(FALLBACK_BYTES);
        expect(text).toBe(text.toWellFormed());
        expect(text).not.toMatch(/[<>]/);
        expect(text.replace(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
      }),
      { numRuns: 500 },
    );
    expect(Buffer.byteLength(fallback('字'.repeat(3_000), ''))).toBe(3_999);
    expect(fallback('😀'.repeat(2_000), '').endsWith('😀…')).toBe(true);
  });
});

function pressesOf(blocks: Message['blocks']): unknown[] {
  const all = blocks.flatMap((block) =>
    block.type === 'actions' || block.type === 'context_actions' ? [...block.elements] : [],
  );
  return all.flatMap((element) => {
    const said = (value: string | undefined) => {
      const id = element.action_id ?? '';
      const read = readAction({ id, value: value ?? '' });
      expect(read?.reply).toEqual({ turn: 'turn-1', ...reply });
      return [pressedKind({ id, value: value ?? '' }), read?.detail];
    };
    if (element.type === 'static_select') return (element.options ?? []).map(({ value }) => said(value));
    if (element.type === 'overflow') return element.options.map(({ value }) => said(value));
    if (element.type === 'feedback_buttons') {
      return [said(element.positive_button.value), said(element.negative_button.value)];
    }
    return element.type === 'button' ? [said(element.value)] : [];
  });
}
