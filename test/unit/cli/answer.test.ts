/** Tests the printed answer: in a pipe, in a terminal with colours, and in pieces of any size. */

import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Found } from '../../../src/cli/answer/ending.ts';
import { createPrinter } from '../../../src/cli/answer/printer.ts';

import { turnId } from '../../../src/core/ids.ts';
import { begin } from '../../../src/core/live-reply/compose.ts';
import { change, type ReplyDocument, type Source } from '../../../src/core/reply.ts';

const blank = change(begin(turnId('t1')), { state: 'writing' });
const source = (key: string, mark?: number): Source => ({
  key,
  title: `Title ${key}`,
  kind: 'document',
  fragments: [{ text: `fragment\nof ${key}`, score: 0.9 }],
  ...(mark !== undefined && { mark }),
});

interface Look {
  readonly styled?: true;
  readonly columns?: number;
}

function record({ styled, columns }: Look = {}) {
  const written: string[] = [];
  const aside: string[] = [];
  const paper = {
    write: (text: string) => void written.push(text),
    styled: styled === true,
    ...(columns !== undefined && { columns: () => columns }),
  };
  const printer = createPrinter(paper, (line) => aside.push(line));
  return { printer, aside, written, out: () => written.join('') };
}

/** Returns the output for a text that arrives in pieces of `by` characters. */
function printed(text: string, by = Number.POSITIVE_INFINITY, look: Look = {}): string {
  const { printer, out } = record(look);
  for (let at = 0; at < text.length; at += by) printer.print(change(blank, { text: text.slice(0, at) }));
  printer.print(change(blank, { text, state: 'done' }));
  return out();
}

function ended(document: ReplyDocument, media: readonly Found[] = []): string {
  const { printer, out } = record();
  const last = change(document, { state: 'done' });
  printer.print(last);
  printer.end(last, media);
  return out();
}

describe('the growing answer', () => {
  it('is printed as it arrives, each character and step once', () => {
    const { printer, aside, written } = record();
    const step = { id: '1', name: 'Search', state: 'running' } as const;
    printer.print(change(blank, { steps: [step] }));
    printer.print(change(blank, { steps: [{ ...step, state: 'done' }], text: 'Hel' }));
    printer.print(change(blank, { steps: [step], text: 'Hello' }));
    printer.print(change(blank, { steps: [step], text: 'Hello' }));
    expect(written).toEqual(['Hel', 'lo']);
    expect(aside).toEqual(['· Search']);
  });

  it('shows words as soon as they are final, and emphasis when it is closed', () => {
    const { printer, out } = record();
    const shown = ['One **tw', 'One **two th', 'One **two three** f', 'One **two three** f ![pl'].map(
      (text) => {
        printer.print(change(blank, { text }));
        return out();
      },
    );
    expect(shown).toEqual(['One ', 'One ', 'One two three f', 'One two three f ']);
  });

  it.each([
    [
      'images by their words, never by their ids',
      'See ![plan](700001), ![](700002).',
      'See [image: plan], [image].',
    ],
    ['looks without their marks', '# A *b*\n__c__ ~~d~~ `e_f_` g_h_i 2 * 3', 'A b\nc d e_f_ g_h_i 2 * 3'],
    [
      'links with their addresses',
      '[guide](https://e.org/a_b) https://e.org/_c_.',
      'guide (https://e.org/a_b) https://e.org/_c_.',
    ],
    [
      'bold text that ends with an address',
      '**see https://e.org/x**. _https://e.org/a_b_, c',
      'see https://e.org/x. https://e.org/a_b, c',
    ],
    ['addresses that nobody may follow by their words', '[x](javascript:alert(1)) [y](700001)', 'x y'],
    [
      'a label that names another host with the true one',
      '[bank.example](https://evil.example/)',
      'bank.example (https://evil.example/) (evil.example)',
    ],
    ['lists, tasks and quotes with their marks', '* a\n  - [x] b\n1. c\n> *d*', '- a\n  - [x] b\n1. c\n> d'],
    [
      'code as it is, between its marks',
      '~~~ts\na = "**b**"; // [1] ![x](1)\n~~~\nc',
      '`````ts\na = "**b**"; // [1] ![x](1)\n`````\nc',
    ],
    ['escapes, entities and breaks as what they stand for', '\\*a\\* &amp; b<br>c<b>', '*a* & b\nc<b>'],
    ['words of languages without spaces', '请用**访客证**进入。', '请用访客证进入。'],
    ['what stays half as it is', 'a **b [c](', 'a **b [c]('],
  ])('reads %s', (_, text, shown) => {
    expect(printed(text)).toBe(shown);
    expect(printed(text, 1)).toBe(shown);
  });

  it('aligns tables in columns, including wide letters', () => {
    const text = 'T:\n| Model | Price |\n|:--|--:|\n| X 100 | **120** |\n| 東京 | `a\\|b`<br>c |\n\nEnd';
    const table = ['T:', 'Model  Price', '─────  ─────', 'X 100    120', '東京   a|b c', '', 'End'].join(
      '\n',
    );
    expect(printed(text)).toBe(table);
    expect(printed(text, 1)).toBe(table);
  });

  it('prints a table row by row if the terminal is too narrow', () => {
    const text = '| Model | Price |\n|---|---|\n| X 100 | 120 |\n| X 200 | |\n';
    expect(printed(text, 3, { columns: 11 })).toBe('Model: X\n100\nPrice: 120\n\nModel: X\n200\nPrice: –\n');
    expect(printed(text, 3, { columns: 12 })).toContain('X 100  120\n');
  });

  it('has colours in a terminal, and never moves its cursor', () => {
    const text = '# A\n**b** `c` and\n| d |\n|---|\n| e |\n';
    const shown = printed(text, 1, { styled: true, columns: 80 });
    expect(shown).toContain('\u001b[1mb\u001b[0m \u001b[36mc\u001b[0m and\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test removes the escape sequences of styles
    expect(shown.replace(/\u001b\[[\d;]*m/g, '')).toBe(printed(text));
  });

  it('cannot send commands to the terminal (attack S04)', () => {
    const text =
      'a\u001b[2Jb\u009b31mc\rd\n\te\u0007 &#27;[2J &#x202e;f\u202eg `\u009b2J`\n```\n\u001b]0;x\u0007\n```\n';
    for (const shown of [printed(text), printed(text, 1)]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that these characters are absent
      expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(shown).toContain('d\n\te');
    }
  });

  it('shows an address behind a word with a backslash as it is', () => {
    const text = String.raw`\中\[x](https://e.org/a_b)> `;
    expect([printed(text), printed(text, 1)]).toEqual([text, text]);
  });

  it('looks the same in pieces of any size', () => {
    const pieces = [
      '*',
      '**',
      '~~',
      'a',
      'bc',
      ' ',
      '\n',
      '\n\n',
      '`',
      '```',
      '[1]',
      '[x](https://e.org/a_b)',
    ];
    const more = [
      '![p](700001)',
      '| a | b |\n',
      '|--|--|\n',
      '- ',
      '> ',
      '# ',
      '\\',
      '&amp;',
      '<br>',
      '中',
      '---\n',
    ];
    const marks = /[*~]/g;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 16 }),
        fc.integer({ min: 1, max: 9 }),
        (list, by) => {
          const text = list.join('');
          expect(printed(text, by).replace(marks, '')).toBe(printed(text).replace(marks, ''));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('prints each character once, whatever is held back', () => {
    const { printer, written } = record();
    const text = `| ${'wide '.repeat(4_000)}**open ${'word '.repeat(4_000)}`;
    for (let at = 0; at < text.length; at += 7) printer.print(change(blank, { text: text.slice(0, at) }));
    printer.print(change(blank, { text, state: 'done' }));
    expect(written.join('').replaceAll('*', '')).toBe(text.replaceAll('*', ''));
    expect(Math.max(...written.map((piece) => piece.length))).toBeLessThan(10_000);
  });
});

describe('on a terminal, lines', () => {
  const words = [
    'a',
    'word',
    'longer-word',
    '中文',
    'ein',
    '`code span`',
    'https://example.org/a-long-address',
  ];

  it('break between words, never inside one, wherever the pieces are cut', () => {
    const oneWord = fc.constantFrom(...words);
    fc.assert(
      fc.property(
        fc.array(oneWord, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 12, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (list, columns, by) => {
          const text = list.join(' ');
          const shown = printed(text, by, { columns });
          expect(shown.replace(/\s+/g, '')).toBe(text.replace(/[\s`]+/g, ''));
          for (const line of shown.split('\n')) {
            const fits = stringWidth(line) <= columns;
            expect(fits || !/[ ]/.test(line), line).toBe(true);
          }
          const parts = shown.split(/\s+/).join(' ');
          for (const word of ['longer-word', 'https://example.org/a-long-address'])
            expect(parts.split(word).length).toBe(text.split(word).length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of a list continue under its text', () => {
    expect(printed('- one two three four', 3, { columns: 10 })).toBe('- one two\n  three\n  four');
  });

  it('of code stay as they are', () => {
    const code = '```\nconst a = 1; const b = 2;\n```\n';
    expect(printed(code, 4, { columns: 10 })).toBe(code);
  });

  it('hold back only the last word', () => {
    const { printer, out } = record({ columns: 20 });
    printer.print(change(blank, { text: 'One two thr' }));
    expect(out()).toBe('One two');
  });
});

describe('an answer that was rewritten', () => {
  const anew = '\n--- The answer was rewritten: ---\n\n';

  it('is printed again in full under a line that announces it', () => {
    const { printer, out } = record();
    printer.print(change(blank, { text: 'First try' }));
    printer.print(change(blank, { text: 'Second', rewrites: 1 }));
    printer.print(change(blank, { text: 'Second time', rewrites: 1 }));
    expect(out()).toBe(`First try\n${anew}Second time`);
  });

  it('is continued if the printed text is still its beginning', () => {
    const { printer, out } = record();
    printer.print(change(blank, { text: 'Right ![and' }));
    printer.print(change(blank, { text: 'Right and good', rewrites: 1 }));
    printer.print(change(blank, { text: 'Right and good', rewrites: 1, state: 'done' }));
    expect(out()).toBe('Right and good');
  });

  it('is printed at most three times, however often it changes', () => {
    const { printer, out } = record();
    for (let rewrites = 0; rewrites < 100; rewrites++)
      printer.print(change(blank, { text: `Try ${rewrites}. ${'word '.repeat(50)}`, rewrites }));
    printer.print(change(blank, { text: 'The last.', rewrites: 100, state: 'done' }));
    expect(out().split(anew)).toHaveLength(3);
    expect(out().endsWith(`${anew}The last.`)).toBe(true);
  });
});

describe('the part after the text', () => {
  it('lists sources under the numbers of the text, counted from its first mark', () => {
    const sources = [source('a', 2), source('b', 7), source('c'), { ...source('d', 9), document: 'x' }];
    const text = ended(change(blank, { text: 'One [7], two [9][7], arr[5].', sources }));
    expect(text).toContain('One [1], two [2][1], arr[5].\n');
    expect(text.match(/\[\d\] Title \w/g)).toEqual([
      '[1] Title b',
      '[2] Title d',
      '[3] Title a',
      '[4] Title c',
    ]);
  });

  it('lists a source that arrived after its mark under the printed number, a document under all of its marks', () => {
    const { printer, out } = record();
    printer.print(change(blank, { text: 'One [7], two [3].\n' }));
    const sources = [3, 7, 1].map((mark) => ({
      ...source(String(mark), mark),
      document: mark === 1 ? 'y' : 'x',
    }));
    const last = change(blank, { text: 'One [7], two [3].\n', sources, state: 'done' });
    printer.print(last);
    printer.end(last, []);
    expect(out()).toMatch(
      /^One \[7\], two \[3\]\.\n\nSources:\n {2}\[1\] Title 1\n.*\n {2}\[3\]\[7\] Title \d\n/,
    );
  });

  it('shows a passage as plain text: images by their words, tables without bars', () => {
    const text = '![diagram](700001)\n\n| Model | Price |\n|---|---|\n| X 100 | **120** |';
    const document = change(blank, { sources: [{ ...source('a', 1), fragments: [{ text }] }] });
    expect(ended(document)).toContain('\n      diagram Model · Price X 100 · 120\n');
  });

  it('lists images, files, sources, suggestions and notices, each on its own line', () => {
    const document = change(blank, {
      text: 'Text',
      sources: [{ ...source('a', 1), title: 'Title\n  [2] forged' }],
      suggestions: ['And then?'],
      notices: [{ tone: 'info', text: 'Stopped.' }],
    });
    const text = ended(document, [
      { kind: 'image', name: 'plan', at: 'file:///x.png' },
      { kind: 'file', name: 'lost\u202e' },
    ]);
    expect(text).toBe(
      'Text\n\nStopped.\n\nImages and files:\n  plan: file:///x.png\n  lost: cannot be opened\n\nSources:\n' +
        '  [1] Title [2] forged\n      fragment of a\n\nSuggested questions:\n  And then?\n',
    );
    expect(ended(blank)).toBe('');
  });
});
