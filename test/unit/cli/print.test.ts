import { describe, expect, it } from 'vitest';
import { createPrinter, ending, numbered, plain } from '../../../src/cli/print.ts';
import { turnId } from '../../../src/core/ids.ts';
import { change, type Source } from '../../../src/core/reply.ts';
import { begin } from '../../../src/core/stage/compose.ts';

const blank = begin(turnId('t1'));
const source = (key: string, mark?: number): Source => ({
  key,
  title: `Title ${key}`,
  kind: 'document',
  fragments: [{ text: `fragment\nof ${key}`, score: 0.9 }],
  ...(mark !== undefined && { mark }),
});

function record() {
  let out = '';
  const aside: string[] = [];
  const printer = createPrinter(
    (text) => {
      out += text;
    },
    (line) => aside.push(line),
  );
  return { printer, aside, out: () => out };
}

describe('the growing answer', () => {
  it('is printed as it comes, each character once, and steps beside it once', () => {
    const { printer, aside, out } = record();
    const step = { id: '1', name: 'Search', state: 'running' } as const;
    printer.print(change(blank, { steps: [step] }));
    printer.print(change(blank, { steps: [{ ...step, state: 'done' }], text: 'Hel' }));
    printer.print(change(blank, { steps: [step], text: 'Hello' }));
    printer.print(change(blank, { steps: [step], text: 'Hello' }));
    expect(out()).toBe('Hello');
    expect(aside).toEqual(['· Search']);
  });

  it('is printed again, whole, when the agent begins it anew', () => {
    const { printer, out } = record();
    printer.print(change(blank, { text: 'First try' }));
    printer.print(change(blank, { text: 'Second', rewrites: 1 }));
    printer.print(change(blank, { text: 'Second time', rewrites: 1 }));
    expect(out()).toBe('First try\n\n---\n\nSecond time');
  });

  it('cannot make the terminal obey', () => {
    const { printer, out } = record();
    printer.print(change(blank, { text: 'a\u001b[2Jb\u009b31mc\rd\n\te\u0007' }));
    expect(out()).toBe('a[2Jb31mcd\n\te');
    expect(plain('\u001b]8;;http://evil\u0007x')).toBe(']8;;http://evilx');
  });
});

describe('what follows the text', () => {
  it('lists sources under the marks of the text, the others after them', () => {
    const list = numbered([source('a'), source('b', 1), source('c', 3), source('d')]);
    expect(list.map(({ number, source: { key } }) => `${number}${key}`)).toEqual(['1b', '2a', '3c', '4d']);
  });

  it('shows a passage as people read it: images by their words, tables without bars', () => {
    const text = '![diagram](700001)\n\n| Model | Price |\n|---|---|\n| X 100 | **120** |';
    const document = change(blank, { sources: [{ ...source('a', 1), fragments: [{ text }] }] });
    expect(ending(document, [])).toContain('\n      diagram Model · Price X 100 · 120\n');
  });

  it('names pictures, files, sources, suggestions and notices', () => {
    const document = change(blank, {
      state: 'done',
      sources: [source('a', 1)],
      suggestions: ['And then?'],
      notices: [{ tone: 'info', text: 'Stopped.' }],
    });
    const text = ending(document, [
      { kind: 'image', name: 'plan', at: 'file:///x.png' },
      { kind: 'file', name: 'lost' },
    ]);
    expect(text).toContain('Stopped.');
    expect(text).toContain('plan: file:///x.png');
    expect(text).toContain('lost: cannot be opened');
    expect(text).toContain('[1] Title a\n      fragment of a');
    expect(text).toContain('And then?');
    expect(ending(blank, [])).toBe('');
  });
});
