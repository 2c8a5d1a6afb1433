import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordGroups } from '../../../sandbox/agents/agent.ts';
import { divide } from '../../../sandbox/knowledge/chunk.ts';
import { readHtml } from '../../../sandbox/knowledge/html.ts';
import { readMarkdown } from '../../../sandbox/knowledge/read.ts';
import { buildQuery } from '../../../sandbox/knowledge/search.ts';
import { languageOf, sentencesOf, spaced, termsOf } from '../../../sandbox/words/terms.ts';

describe('terms', () => {
  it('are pairs of Chinese characters, words of Latin text and dictionary words of Thai', () => {
    expect(termsOf('远程办公 Wi-Fi')).toEqual(['远程', '程办', '办公', 'wi', 'fi', 'wi fi']);
    expect(termsOf('บัตรผู้เยี่ยม').length).toBeGreaterThan(1);
    expect(spaced('远程 desk')).toBe(' 远  程  desk');
  });

  it('end a Latin word where Japanese begins, and leave out what Japanese questions have in common', () => {
    expect(termsOf('Slackの接続方法を教えてください')).toEqual(['slack', 'の接', '接続', '法を']);
    expect(termsOf('会議の質問')).toEqual(['会議', '議の', 'の質', '質問']);
  });

  it('leave out words that are in any text, and include phrases that have synonyms', () => {
    expect(termsOf('How do I get a visitor pass?')).toEqual(['visitor', 'pass']);
    expect(termsOf('我的电脑怎么办')).toEqual(['电脑']);
    expect(termsOf("and if I don't?")).toEqual([]);
    expect(termsOf('Wie mache ich ein Backup?')).toEqual(['backup']);
    expect(termsOf('Where do I log in?')).toEqual(['log', 'log in']);
  });

  it.each([
    ['en', 'How do I stop it?'],
    ['en', 'zzqxwv'],
    ['de', 'Wie lange ist ein Ausweis gültig?'],
    ['fr', 'Où sont les documents ?'],
    ['es', '¿Dónde está la cocina?'],
    ['zh', '访客证多久有效？'],
    ['ja', 'どこにありますか'],
  ])('are in the language %s: %s', (language, text) => expect(languageOf(text)).toBe(language));

  it('splits sentences only at their ends', () => {
    expect(sentencesOf('Use e.g. the lift. It is fast!\nGo.')).toEqual([
      'Use e.g. the lift.',
      'It is fast!',
      'Go.',
    ]);
    expect(sentencesOf('每周三天。不得超过。')).toEqual(['每周三天。', '不得超过。']);
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

  it('reads every item of HTML lists inside each other, and of none', () => {
    expect(readHtml('<ul><li>one<ol><li>two</li></ol></li><li>three</li></ul><li>four</li>')).toEqual([
      { kind: 'list', text: '- one\n  1. two\n- three' },
      { kind: 'paragraph', text: 'four' },
    ]);
    expect(readHtml('<ul><li>one</li><ol><li>two</li></ol><li>three</li></ul>')).toEqual([
      { kind: 'list', text: '- one\n  1. two\n- three' },
    ]);
  });

  it('separates the words of paragraphs and lines inside items, cells and headings of HTML', () => {
    const html =
      '<ul><li><p>one</p><p>two</p></li></ul><table><tr><td>three<br>four</td></tr></table><h1>five<br>six</h1>';
    expect(readHtml(html)).toMatchObject([
      { text: '- one two' },
      { text: '| three four |\n| --- |' },
      { text: 'five six' },
    ]);
  });

  it('accepts any text, and limits the length of passages', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000, unit: 'grapheme' }), (text) => {
        for (const blocks of [readMarkdown(text), readHtml(text)]) {
          divide(blocks, 'x', () => undefined);
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
    expect(query.terms.get('visitor')).toBe(0.6);
    expect(query.question).toBe(`How do I get a visitor pass? ${question}`);
    expect(buildQuery(question, []).question).toBe(question);
  });

  it('a question that stands alone adds no earlier terms', () => {
    const query = buildQuery('Which hotel limit holds abroad?', past);
    expect(query.terms.has('visitor')).toBe(false);
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
