import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAction } from '../../../../adapters/teams/render/actions.ts';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { MESSAGE_UNITS, messageOf, PART_CHARS, unitsOf } from '../../../../adapters/teams/render/message.ts';
import type { Form, RenderContext } from '../../../../adapters/teams/render/render-context.ts';
import { plain, plains } from '../../../../src/kit/json.ts';
import type { ReplyDocument } from '../../../../src/kit.ts';
import { blank, documents } from '../../reply/markdown/documents.ts';
import { anything } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { buttonsIn, cardOf, context, expectSound, ofType, personal, whole, wordsIn } from './messages.ts';

const forms: readonly Form[] = ['rich', 'simple', 'plain'];
const fragment = (text: string) => ({ text, score: 0.87 });
const source = (mark: number, title = `Manual ${mark}.pdf`) => ({
  key: `k${mark}`,
  title,
  kind: 'document' as const,
  mark,
  score: 0.87,
  link: `https://docs.example/${mark}`,
  fragments: [fragment(`What chapter ${mark} says.`)],
});
const ref = { kind: 'file-id' as const, id: '123456' };
const image = { id: 'm1', kind: 'image' as const, name: 'A chart', ref };
const table = '| City | Rain |\n| - | -: |\n| Berlin | 5 [3] |\n| Rome | **2** |';

const answer = (more: Partial<ReplyDocument>): ReplyDocument => ({ ...blank, text: 'So it is.', ...more });

describe('a message', () => {
  it('has no active content and keeps the limits, in every form, format and part', () => {
    const looks = fc.record({
      format: fc.constantFrom('markdown' as const, 'extendedmarkdown' as const),
      place: fc.constantFrom(context, personal),
      link: anything,
      isPrivate: fc.boolean(),
    });
    fc.assert(
      fc.property(documents, looks, fc.constantFrom(...forms), (document, { place, link, ...how }, form) => {
        const media = Object.fromEntries(document.media.map(({ id }) => [id, { link }]));
        const seen: RenderContext = { ...place, ...how, media };
        for (const { begin, to } of emitterOf(how.format).ranges(document.text, 400)) {
          const extent = to === document.text.length ? { begin } : { begin, to };
          expectSound(messageOf({ document, extent, context: seen, form }));
        }
      }),
      { numRuns: 600 },
    );
  });

  it('has the AI label and feedback buttons', () => {
    expect(whole(answer({}))).toMatchObject({
      type: 'message',
      text: 'So it is.',
      textFormat: 'markdown',
      entities: [
        {
          type: 'https://schema.org/Message',
          '@type': 'Message',
          '@context': 'https://schema.org',
          '@id': '',
          additionalType: ['AIGeneratedContent'],
        },
      ],
      channelData: { feedbackLoop: { type: 'custom' } },
    });
  });

  it('has no AI label if it is the bridge’s own', () => {
    const { agent: _, ...own } = answer({});
    const message = whole(own);
    expect(message.entities).toEqual([]);
    expect(message.channelData).toBeUndefined();
    expect(buttonsIn(message.attachments)).toEqual([]);
  });

  it('cites the sources whose numbers are in its text, under these numbers', () => {
    const message = whole(answer({ text: 'So [7], and [3].', sources: [source(3), source(7), source(9)] }));
    expect(message.text).toBe('So [1], and [2].');
    expect(plains(message.entities[0]?.citation)).toEqual([
      {
        '@type': 'Claim',
        position: 1,
        appearance: {
          '@type': 'DigitalDocument',
          name: 'Manual 7.pdf',
          abstract: 'What chapter 7 says.',
          url: 'https://docs.example/7#:~:text=What%20chapter%207%20says.',
          keywords: ['document', '87 %'],
          image: { '@type': 'ImageObject', name: 'PDF' },
        },
      },
      expect.objectContaining({ position: 2 }),
    ]);
    // A cited source is not shown a second time.
    expect(wordsIn(cardOf(message))).toContain('3. |Manual 9.pdf');
    expect(wordsIn(cardOf(message))).not.toMatch(/Manual [37]/);
    expect(buttonsIn(cardOf(message))).toContainEqual({ kind: 'sources', title: 'Sources (3)', detail: '' });
  });

  it('cites 20 of 25 sources, and shows the others by the button', () => {
    const sources = Array.from({ length: 25 }, (_, at) => source(at + 1));
    const text = sources.map(({ mark }) => `Fact [${mark}].`).join(' ');
    const message = whole(answer({ text, sources }));
    expectSound(message);
    expect(plains(message.entities[0]?.citation)).toHaveLength(20);
    expect(buttonsIn(cardOf(message))).toContainEqual(expect.objectContaining({ title: 'Sources (25)' }));
  });

  it.each([
    'word ',
    '"',
    '\\',
    '\u0001',
    '😀',
  ])('keeps label, numbers and buttons within 80 KB with long addresses and names, in a text of %j', (sign) => {
    const long = `https://docs.example/${'signed'.repeat(500)}`;
    const sources = Array.from({ length: 25 }, (_, at) => ({
      ...source(at + 1, `A "${'very '.repeat(60)}" long title ${at}.pdf`),
      link: `${long}${at}`,
      fragments: [fragment('"Said" in \\ so many words. '.repeat(40))],
    }));
    const marks = sources.map(({ mark }) => `[${mark}]`).join(' ');
    const text = `${marks} ${sign.repeat(PART_CHARS)}`.slice(0, PART_CHARS).toWellFormed();
    const media = sources.map(({ key: id, link }) => ({ ...image, id, kind: 'file' as const, link }));
    const suggestions = Array.from({ length: 5 }, (_, at) => `"${'So? '.repeat(240)}${at}"`);
    const message = whole(answer({ text, sources, media, suggestions }));
    expectSound(message);
    expect(message.entities[0]?.additionalType).toEqual(['AIGeneratedContent']);
    const kinds = buttonsIn(cardOf(message)).map(({ kind }) => kind);
    expect(kinds).toEqual([...Array(5).fill('suggestion'), 'sources', 'regenerate', 'agent']);
    if (sign === 'word ') expect(plains(message.entities[0]?.citation)).toHaveLength(20);
  });

  it('shows a table in its card, under the mark from its text', () => {
    const message = whole(answer({ text: `See:\n\n${table}\n\nDone [3].`, sources: [source(3)] }));
    expect(message.text).toBe('See:\n\n**▦ Table 1**\n\n\nDone [1].');
    const [shown] = ofType(cardOf(message), 'Table');
    expect(plains(shown?.rows)).toHaveLength(3);
    expect(plains(shown?.columns)[1]).toEqual({ width: 7, horizontalCellContentAlignment: 'Right' });
    expect(wordsIn(cardOf(message))).toContain('▦ Table 1|City|Rain|Berlin|5 [1]|Rome|2');
    expect(cardOf(message).msteams).toEqual({ width: 'Full' });
  });

  it('gives each column the width of its longest word, and long texts the width of a few words', () => {
    const remark = 'A remark that is long enough to be wrapped in its cell. '.repeat(20);
    const rows = `| A | medium | ${remark} | ${'x'.repeat(300)} |`;
    const text = `| Id | Noise | Remark | Key |\n| - | - | - | - |\n${rows}\n`;
    const [shown] = ofType(cardOf(whole(answer({ text }))), 'Table');
    expect(plains(shown?.columns).map(({ width }) => width)).toEqual([4, 8, 18, 26]);
  });

  it('shows every word in any place, and each table under its mark', () => {
    const shapes = [
      (word: string) => `| ${word}a | ${word}b |\n| - | :-: |\n| ${word}c | ${word}d |`,
      (word: string) => `${word}a | ${word}b\n--- | ---\n${word}c | ${word}d\n${word}e | ${word}f`,
      (word: string) => `> | ${word}a |\n> | - |\n> | ${word}b |`,
      (word: string) => `| ${word}a |\n| - |\n| ${word}b | ${word}c | ${word}d |`,
      (word: string) => `- ${word}a\n\n  | ${word}b |\n  | - |\n  | ${word}c |`,
      (word: string) => `| ${word}a | ${word}b |`,
      (word: string) => `# ${word}a #`,
      (word: string) => `${word}a\n===`,
      (word: string) => `\`\`\`\n| ${word}a |\n| - |\n\`\`\``,
      (word: string) => `- [x] ${word}a | ${word}b`,
      (word: string) => `${word}a **${word}b** [${word}c](https://h.example)`,
    ];
    const texts = fc
      .array(fc.tuple(fc.constantFrom(...shapes), fc.constantFrom('\n', '\n\n', '\n\n\n')), { maxLength: 8 })
      .map((parts) => parts.map(([shape, gap], at) => shape(`w${at}`) + gap).join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 150, max: 900 }), (text, limit) => {
        const document = answer({ text });
        const parts = emitterOf('markdown')
          .ranges(text, limit)
          .map(({ begin, to }) => messageOf({ document, extent: { begin, to }, context, form: 'rich' }));
        for (const part of parts) {
          const said = `${part.text} ${wordsIn(part.attachments)}`;
          expectSound(part);
          const inText = [...part.text.matchAll(/▦ Table \d+/g)].map(String);
          expect([...wordsIn(part.attachments).matchAll(/▦ Table \d+/g)].map(String)).toEqual(inText);
          expect(said).not.toMatch(/▦ Table \d+.*?\| -/);
        }
        const shown = parts.map((part) => `${part.text} ${wordsIn(part.attachments)}`).join(' ');
        const words = new Set(text.match(/w\d+[a-f]/g));
        expect([...words].filter((word) => !shown.includes(word))).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  it('shows two tables that follow each other directly in different blocks', () => {
    const text = '- a\n\n  | b |\n  | - |\n  | c |\n| d | e |\n| - | - |\n| f | g |';
    const tables = ofType(cardOf(whole(answer({ text }))), 'Table');
    expect(tables.map(({ rows }) => plains(rows).length)).toEqual([2, 2]);
  });

  it('shows text like date macros unchanged', () => {
    const text = '| When |\n| - |\n| {{DATE(2017-02-14T06:08:39Z)}} |';
    expect(wordsIn(cardOf(whole(answer({ text }))))).toContain('{\u2060{DATE(2017-02-14T06:08:39Z)}}');
  });

  it('shows no table that still grows', () => {
    const message = whole(answer({ state: 'writing', text: `See:\n\n${table}` }));
    expect(message.text).toContain('▦ Table 1');
    expect(ofType(message.attachments, 'Table')).toEqual([]);
  });

  it('continues a large table in the next message, under the same head', () => {
    const rows = Array.from({ length: 200 }, (_, at) => `| Row ${at} | ${'words '.repeat(8)} |`);
    const text = `Before\n\n| A | B |\n| - | - |\n${rows.join('\n')}\n\nBetween\n\n${table}`;
    const parts = emitterOf('markdown').ranges(text, PART_CHARS);
    const messages = parts.map(({ begin, to }) =>
      messageOf({ document: answer({ text }), extent: { begin, to }, context, form: 'rich' }),
    );
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages) expectSound(message);
    const marks = messages.map(({ text: shown }) => [...shown.matchAll(/▦ Table \d/g)].map(String));
    expect(marks.slice(0, -1)).toEqual(marks.slice(1).map(() => ['▦ Table 1']));
    expect(messages[0]?.text).toBe('Before\n\n**▦ Table 1**');
    expect(messages.at(-1)?.text).toMatch(/Between\n\n\*\*▦ Table 2\*\*$|^\*\*▦ Table 2\*\*$/);
    const said = messages.map((message) => wordsIn(message.attachments)).join('|');
    expect([...said.matchAll(/Row (\d+)/g)].map((found) => Number(found[1]))).toEqual(
      rows.map((_, at) => at),
    );
    expect([...said.matchAll(/▦ Table 1\|A\|B/g)].length).toBeGreaterThanOrEqual(messages.length - 1);
    expect(said).not.toContain('more row');
  });

  it('says how many rows of a large table are left out', () => {
    const rows = Array.from({ length: 500 }, (_, at) => `| Row ${at} | ${'words '.repeat(8)} |`);
    const message = whole(answer({ text: `| A | B |\n| - | - |\n${rows.join('\n')}` }));
    expectSound(message);
    const shown = plains(ofType(cardOf(message), 'Table')[0]?.rows).length - 1;
    expect(shown).toBeGreaterThan(50);
    expect(wordsIn(cardOf(message))).toContain(`and ${500 - shown} more rows`);
  });

  it('writes tables as code if Teams accepts no card', () => {
    const message = whole(answer({ text: `See:\n\n${table}\n\nDone.` }), context, 'simple');
    expect(message.attachments).toEqual([]);
    expect(message.text).toContain('```\nCity    Rain\nBerlin  5 [3]\nRome    2\n```');
  });

  it('writes tables and headings as extended Markdown', () => {
    const text = `# Title\n\n${table}`;
    const message = whole(answer({ text }), { ...context, format: 'extendedmarkdown' });
    expect(message).toMatchObject({ text, textFormat: 'extendedmarkdown' });
    expect(ofType(message.attachments, 'Table')).toEqual([]);
  });

  it('shows images that clients can load, and lists the others by name', () => {
    const media = [
      image,
      { ...image, id: 'm2', name: '123456' },
      { ...image, id: 'm3', name: 'Plain http' },
      { ...image, id: 'f1', kind: 'file' as const, name: 'plan.pdf', link: 'https://files.example/plan' },
    ];
    const data = `data:image/png;base64,${'A'.repeat(400)}`;
    const places = {
      m1: { data, link: 'https://bridge.example/m1' },
      m2: { link: 'https://bridge.example/m2' },
      m3: { link: 'http://127.0.0.1/m3' },
    };
    const card = cardOf(whole(answer({ media }), { ...context, media: places }));
    expect(ofType(card, 'Image').map(({ url }) => url)).toEqual([data, 'https://bridge.example/m2']);
    expect(ofType(card, 'Image').map(({ altText }) => altText)).toEqual(['A chart', 'image']);
    expect(wordsIn(card)).toContain('▣ |Plain http|▤ |plan.pdf');
    expect(ofType(card, 'Action.OpenUrl').map(({ url }) => url)).toContain('https://files.example/plan');
  });

  it('links images that do not fit', () => {
    const media = Array.from({ length: 9 }, (_, at) => ({ ...image, id: `m${at}` }));
    const places = Object.fromEntries(
      media.map(({ id }) => [
        id,
        { data: `data:image/png;base64,${'A'.repeat(8_000)}`, link: `https://bridge.example/${id}` },
      ]),
    );
    const message = whole(answer({ media, text: plausibleText(10_000) }), { ...context, media: places });
    expectSound(message);
    const addresses = ofType(cardOf(message), 'Image').map(({ url }) => String(url).slice(0, 5));
    expect(addresses).toHaveLength(9);
    expect(new Set(addresses)).toEqual(new Set(['data:', 'https']));
  });

  it('shows Stop and the steps while the answer runs', () => {
    const steps = [
      { id: '1', name: 'Search', state: 'done' as const, elapsedMs: 1_200 },
      { id: '2', name: 'Read [x](https://evil.example)', state: 'running' as const },
    ];
    const message = whole(answer({ state: 'writing', text: 'The **first', steps }));
    expect(message.text).toBe('The **first**');
    expect(message.channelData).toEqual({ feedbackLoop: { type: 'custom' } });
    const card = cardOf(message);
    expect(wordsIn(card)).toBe('✓ 1 step · 1.2 s|◌ Read [x](https://evil.example)');
    expect(buttonsIn(card)).toEqual([{ kind: 'stop', title: 'Stop', detail: '' }]);
  });

  it('shows the buttons of an answer', () => {
    const document = answer({
      suggestions: ['And then?', ' '],
      editions: { shown: 2, count: 3 },
      steps: [{ id: '1', name: 'Search', state: 'done', elapsedMs: 1_200 }],
    });
    const card = cardOf(whole(document, { ...context, offersAsSelf: true }));
    expect(buttonsIn(card)).toEqual([
      { kind: 'show', title: '‹', detail: '1' },
      { kind: 'show', title: '›', detail: '3' },
      { kind: 'suggestion', title: 'And then?', detail: 'And then?' },
      { kind: 'regenerate', title: 'Regenerate', detail: '' },
      { kind: 'mine', title: 'Ask as me', detail: '' },
      { kind: 'agent', title: 'Ask', detail: '' },
    ]);
    expect(wordsIn(card)).toContain('Version 2 of 3');
    expect(plains(ofType(card, 'Input.ChoiceSet')[0]?.choices).map(({ value }) => value)).toEqual([
      'sales',
      'legal',
    ]);
  });

  it('labels a private answer, and offers to share it', () => {
    const message = whole(answer({}), { ...personal, isPrivate: true });
    expect(message.entities[0]).toMatchObject({
      usageInfo: { '@type': 'CreativeWork', name: 'Only for you' },
    });
    expect(buttonsIn(cardOf(message)).map(({ kind }) => kind)).toContain('share');
  });

  it('shows suggested actions only without a card, and only one-to-one', () => {
    const document = answer({ suggestions: ['One?', 'Two?', 'Three?', 'Four?'] });
    expect(whole(document, personal).suggestedActions).toBeUndefined();
    const actions = ['One?', 'Two?', 'Three?'].map((text) => ({ type: 'imBack', title: text, value: text }));
    expect(whole(document, personal, 'simple').suggestedActions).toEqual({ to: [], actions });
    expect(whole(document, context, 'simple').suggestedActions).toBeUndefined();
  });

  it('shows a failure once, with Retry', () => {
    const notices = [{ tone: 'error' as const, text: 'The agent broke *off*.' }];
    const message = whole({ ...blank, state: 'failed', retry: true, notices });
    expect(message.text).toBe('The agent broke \\*off\\*.');
    expect(wordsIn(cardOf(message))).toBe('');
    expect(buttonsIn(cardOf(message))[0]).toMatchObject({ kind: 'retry' });
  });

  it.each(forms)('explains why an answer broke off, in the form %s', (form) => {
    const notices = [{ tone: 'warning' as const, text: 'Stopped by somebody.' }];
    const message = whole(answer({ state: 'partial', notices }), context, form);
    expect(`${message.text}${wordsIn(message.attachments)}`).toContain('⚠ Stopped by somebody.');
  });

  it.each([
    ['**see [page *9*](https://example.com/9)**', 'see page 9 (https://example.com/9)'],
    [
      '- [a](https://example.com/a)\n- <https://example.com/b>',
      '- a (https://example.com/a)\n- https://example.com/b',
    ],
  ])('keeps the addresses of links in its simplest form: %s', (text, expected) => {
    expect(whole(answer({ text }), context, 'plain').text).toBe(expected);
  });

  it('shows each part of a long answer within the limits, with its own tables', () => {
    const text = `${table}\n\n${plausibleText(40_000)}\n\n${table}`;
    const document = answer({ text });
    const { ranges } = emitterOf('markdown');
    const parts = ranges(text, PART_CHARS).map(({ begin, to }, at, all) =>
      messageOf({
        document,
        extent: at === all.length - 1 ? { begin } : { begin, to },
        context,
        form: 'rich',
      }),
    );
    for (const part of parts) {
      expectSound(part);
      expect(unitsOf(part)).toBeLessThan(MESSAGE_UNITS);
    }
    const inText = parts.flatMap((part) => [...part.text.matchAll(/▦ Table \d+/g)].map(String));
    const inCards = parts.flatMap((part) =>
      [...wordsIn(part.attachments).matchAll(/▦ Table \d+/g)].map(String),
    );
    expect(inText.length).toBeGreaterThan(1);
    expect(inCards).toEqual(inText);
    expect(parts.slice(0, -1).flatMap((part) => buttonsIn(part.attachments))).toEqual([]);
  });
});

describe('the data of a button', () => {
  it('contains its reply, and returns from Teams unchanged', () => {
    const [press] = ofType(cardOf(whole(answer({ state: 'writing' }))), 'Action.Execute');
    expect(press).toMatchObject({ verb: 'parley.stop', data: { parley: 1, kind: 'stop', turn: 'turn-1' } });
    const back = { ...plain(press?.data), agent: 'sales' };
    expect(readAction(JSON.parse(JSON.stringify(back)))).toEqual({
      kind: 'stop',
      reply: { turn: 'turn-1', ...context.reply },
      detail: '',
      inputs: { agent: 'sales' },
    });
  });

  it.each([
    ['no data', undefined],
    ['words', 'stop'],
    ['another shape', { parley: 2, kind: 'stop', turn: 't', question: 'q', room: 'r', place: 'room' }],
    ['another kind', { parley: 1, kind: 'delete', turn: 't', question: 'q', room: 'r', place: 'room' }],
    ['data without a reply', { parley: 1, kind: 'stop' }],
    [
      'an unknown kind of place',
      { parley: 1, kind: 'stop', turn: 't', question: 'q', room: 'r', place: 'x' },
    ],
  ])('is refused: %s', (_, data) => {
    expect(readAction(data)).toBeUndefined();
  });
});
