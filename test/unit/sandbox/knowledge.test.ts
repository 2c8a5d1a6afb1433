import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { wordGroups } from '../../../sandbox/agents/agent.ts';
import { divide } from '../../../sandbox/knowledge/chunk.ts';
import { readHtml } from '../../../sandbox/knowledge/html.ts';
import { readMarkdown } from '../../../sandbox/knowledge/read.ts';
import { buildQuery, distance } from '../../../sandbox/knowledge/search.ts';
import { unitsOf } from '../../../sandbox/knowledge/units.ts';
import { contentTerms, sentencesOf, stem, termsOf } from '../../../sandbox/words/terms.ts';

test('a quoted sentence never contains half of a pair of bold marks', () => {
  const texts = unitsOf('**What to do. Start again.** Then wait.').map(({ text }) => text);
  expect(texts).toEqual(['What to do.', 'Start again.', 'Then wait.']);
});

describe('terms', () => {
  it.each([
    ['claim', 'claims', 'claimed', 'claiming'],
    ['expire', 'expires', 'expired', 'expiring'],
    ['policy', 'policies'],
    ['stop', 'stopped', 'stopping'],
    ['reimburse', 'reimbursement', 'reimbursed'],
  ])('the forms of %s share a stem', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it('leaves runs that are longer than any word unchanged', () => {
    const long = `${'a'.repeat(200_000)}ing`;
    expect(termsOf(long)).toEqual([long]);
  });

  it('are pairs of Chinese characters, words of Latin text and dictionary words of Thai', () => {
    expect(termsOf('远程办公 Wi-Fi')).toEqual(['远程', '程办', '办公', 'wi', 'fi']);
    expect(termsOf('บัตรผู้เยี่ยม').length).toBeGreaterThan(1);
  });

  it('keeps the content terms of a question', () => {
    expect(contentTerms('How do I get a visitor pass?')).toEqual(['visitor', 'pass']);
    expect(contentTerms('我的电脑怎么办')).toEqual(['电脑']);
    expect(contentTerms("and if I don't?")).toEqual([]);
  });

  it('splits sentences only at their ends', () => {
    expect(sentencesOf('Use e.g. the lift. It is fast!\nGo.')).toEqual([
      'Use e.g. the lift.',
      'It is fast!',
      'Go.',
    ]);
    expect(sentencesOf('每周三天。不得超过。')).toEqual(['每周三天。', '不得超过。']);
  });

  it('counts the mistakes between two words', () => {
    const pairs = [
      ['visitor', 'vistor'],
      ['hotel', 'hotle'],
      ['desk', 'desk'],
      ['badge', 'bridge'],
    ] as const;
    expect(pairs.map(([a, b]) => distance(a, b))).toEqual([1, 1, 0, 2]);
  });
});

describe('reading', () => {
  it('divides Markdown by headings and keeps lists, tables and pictures whole', () => {
    const text =
      '---\nx: 1\n---\n# Title\n\nIntro [file](a.md).\n\n## One\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n![alt](p.png)\n\n### Deep\n\n```\ncode\n```\n';
    const { title, passages } = divide(readMarkdown(text), 'file', () => '12345');
    expect(title).toBe('Title');
    expect(passages).toEqual([
      { headings: [], text: 'Intro file.' },
      { headings: ['One'], text: '- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n![alt](12345)' },
      { headings: ['One', 'Deep'], text: '```\ncode\n```' },
    ]);
  });

  it('reads HTML into the same blocks and leaves scripts out', () => {
    const html =
      '<html><head><title>t</title></head><body><h1>T</h1><script>x()</script><p>a <b>b</b></p><ol><li>one</li><li>two</li></ol><table><tr><th>x</th></tr><tr><td>1|2</td></tr></table><img src="p.png" alt="A"></body></html>';
    expect(readHtml(html)).toEqual([
      { kind: 'heading', level: 1, text: 'T' },
      { kind: 'paragraph', text: 'a b' },
      { kind: 'list', text: '1. one\n2. two' },
      { kind: 'table', text: '| x |\n| --- |\n| 1/2 |' },
      { kind: 'image', alt: 'A', source: 'p.png' },
    ]);
  });

  it('accepts any text, and limits the length of passages', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000, unit: 'grapheme' }), (text) => {
        for (const blocks of [readMarkdown(text), readHtml(text)]) {
          for (const passage of divide(blocks, 'x', () => undefined).passages) unitsOf(passage.text);
        }
      }),
    );
    const long = divide(readMarkdown('word '.repeat(5_000)), 'x', () => undefined);
    expect(Math.max(...long.passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(25_000);
    const sentences = divide(readMarkdown('A short sentence. '.repeat(500)), 'x', () => undefined);
    expect(Math.max(...sentences.passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(1_100);
  });
});

describe('asking', () => {
  const past = [{ question: 'How do I get a visitor pass?', answer: '', sources: [] }];

  it.each([
    'and how long is that valid?',
    'what about contractors?',
    '那有效期呢？',
    'why?',
  ])('"%s" refers to the earlier question', (question) => {
    const query = buildQuery(question, past);
    expect(query.followUp).toBe(true);
    expect(query.terms.get('visitor')).toBe(0.6);
    expect(buildQuery(question, []).followUp).toBe(false);
  });

  it('a question that stands alone adds no earlier terms', () => {
    const query = buildQuery('Which hotel limit holds abroad?', past);
    expect([query.followUp, query.terms.has('visitor')]).toEqual([false, false]);
  });

  it('word groups join to the same text, in a limited number', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000, unit: 'grapheme' }), (text) => {
        const groups = wordGroups(text);
        expect(groups.join('')).toBe(text);
        expect(groups.length).toBeLessThanOrEqual(601);
      }),
    );
  });
});
