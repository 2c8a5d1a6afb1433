import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { START } from '../../../../src/kit/emission.ts';
import { parse } from '../../../../src/kit/ladder.ts';
import { addressesIn, anything, rawBrackets } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';

const { markdown, ranges, rangeText } = slackMarkdown;

const LIMIT = 11_000;

const textsOf = (source: string, limit: number) =>
  ranges(source, limit).map(({ begin, to }) => rangeText(source, begin, to));

describe('splitting an answer into messages', () => {
  it('keeps every character in order, for any limit', () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 8 }),
        fc.integer({ min: 200, max: 900 }),
        (texts, limit) => {
          const source = texts.join('\n');
          const parts = ranges(source, limit);
          expect(parts[0]?.begin.at).toBe(0);
          expect(parts.at(-1)?.to).toBe(source.length);
          for (const [at, part] of parts.entries()) {
            if (at > 0) expect(part.begin.at).toBe(parts[at - 1]?.to);
            expect(part.to).toBeGreaterThan(source === '' ? -1 : part.begin.at);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('leaves room for the end of a fence', () => {
    const source = `\`\`\`\`\`ts\n${'y = f(x);\n'.repeat(400)}`;
    for (let limit = 400; limit < 420; limit++) {
      for (const text of textsOf(source, limit)) {
        expect(text).toMatch(/^`{3,}ts\n[\s\S]*\n`{3,}\n?$/);
        expect(text.length).toBeLessThanOrEqual(limit);
      }
    }
  });

  it('keeps the limit, with nothing active in any part', () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 30 }),
        fc.integer({ min: 2_000, max: 4_000 }),
        (texts, limit) => {
          for (const text of textsOf(texts.join('\n'), limit)) {
            expect(text.length).toBeLessThanOrEqual(limit);
            expect(rawBrackets(text)).toEqual([]);
            expect(addressesIn(text).images).toEqual([]);
            expect(addressesIn(text).links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual(
              [],
            );
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it('opens no code block with tildes at which a message begins', () => {
    const source = `${'word '.repeat(60)}~~~ tail\n- \`\`\`js\n\n~~~\n[a](javascript:x)`;
    for (let limit = 300; limit < 420; limit++)
      expect(textsOf(source, limit).flatMap((text) => addressesIn(text).links)).toEqual([]);
  });

  it('splits 50,000 characters between blocks, with complete fences and tables in each message', () => {
    const source = plausibleText(50_000);
    const texts = textsOf(source, LIMIT);
    expect(texts.length).toBeLessThanOrEqual(7);
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(LIMIT);
      expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
    }
    expect(texts.join('\n').replace(/\s+/g, '')).toContain(markdown(source).slice(-40).replace(/\s+/g, ''));
  });

  it('reopens a fence with its language', () => {
    const source = `Code:\n\`\`\`ts\n${'const line = 1;\n'.repeat(100)}\`\`\`\nEnd.`;
    const texts = textsOf(source, 700);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.slice(1).every((text) => text.startsWith('```ts\nconst'))).toBe(true);
    expect(texts.slice(0, -1).every((text) => text.endsWith('\n```'))).toBe(true);
  });

  it('repeats the head of a table', () => {
    const source = `| name | size |\n| --- | ---: |\n${'| a row | 12 |\n'.repeat(60)}`;
    const texts = textsOf(source, 400);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(parse(text)[0]?.kind).toBe('table');
    const rows = texts.flatMap((text) =>
      parse(text).flatMap((block) => (block.kind === 'table' ? block.rows : [])),
    );
    expect(rows).toHaveLength(60);
  });

  it('splits one endless line after a word', () => {
    const texts = textsOf('word '.repeat(1_000), 1_000);
    expect(texts.every((text) => /^(?:word )+$/.test(text))).toBe(true);
    expect(texts.join('')).toBe(markdown('word '.repeat(1_000), START));
  });
});
