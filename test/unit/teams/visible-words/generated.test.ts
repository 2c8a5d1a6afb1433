/** Tests that every visible word of generated cards and HTML reaches the agent, as a word or as a named omission. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeActivity } from '../../../../adapters/teams/receive/decode.ts';
import { cards } from './card-elements.ts';
import { documents } from './html-elements.ts';

const RUNS = { numRuns: 300 };

/** Returns everything of a message that reaches the agent, in one text. */
function reached(parts: object): string {
  const event = decodeActivity({
    type: 'message',
    id: '1',
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    conversation: { id: 'a:1', conversationType: 'personal', tenantId: 't' },
    recipient: { id: '28:bot' },
    from: { id: '29:1' },
    ...parts,
  });
  if (event?.kind !== 'said') throw new Error('not decoded');
  const { text, quoted, files, omitted } = event.message;
  const quotes = quoted.flatMap((quote) => [quote.author, quote.text]);
  return [text, ...quotes, ...omitted, ...files.map(({ name }) => name)].join('\n');
}

const adaptive = (content: unknown) => ({
  contentType: 'application/vnd.microsoft.card.adaptive',
  content,
});

test('each visible word of an Adaptive Card reaches the agent', () => {
  fc.assert(
    fc.property(cards, fc.boolean(), ({ json, words }, isText) => {
      const content = isText ? JSON.stringify(json) : json;
      const shown = reached({ text: 'what is it?', attachments: [adaptive(content)] });
      expect(words.filter((each) => !shown.includes(each))).toEqual([]);
      expect(shown).not.toContain('hidden');
    }),
    RUNS,
  );
});

const tokens = (words: string): readonly string[] => words.match(/[\p{L}\p{N}]+/gu) ?? [];

test('each visible word of an HTML copy reaches the agent, whatever the plain text contains', () => {
  fc.assert(
    fc.property(documents, fc.boolean(), ({ html, words }, isTold) => {
      const text = isTold ? words.join('\r\n') : '';
      const shown = new Set(
        tokens(reached({ text, attachments: [{ contentType: 'text/html', content: html }] })),
      );
      expect(
        tokens(words.join(' ')).filter((each) => !shown.has(each)),
        html,
      ).toEqual([]);
    }),
    RUNS,
  );
});

test('a copy that is cut off anywhere loses no word of the plain text', () => {
  fc.assert(
    fc.property(documents, fc.nat(), ({ html, words }, at) => {
      const content = html.slice(0, at % (html.length + 1));
      const shown = new Set(
        tokens(reached({ text: words.join(' '), attachments: [{ contentType: 'text/html', content }] })),
      );
      expect(
        tokens(words.join(' ')).filter((each) => /^w\d/.test(each) && !shown.has(each)),
        content,
      ).toEqual([]);
    }),
    RUNS,
  );
});

test('a copy that is cut off in a table loses no word of the plain text', () => {
  const cells = '<table><tr><td>Opening hours</td><td>weekdays from eight</td></tr><tr><td><strong>and';
  const content = `<span itemscope itemtype="http://schema.skype.com/InputExtension">${cells}`;
  const text = 'Opening hours weekdays from eight and Saturdays';
  expect(reached({ text, attachments: [{ contentType: 'text/html', content }] })).toContain('Saturdays');
});

test('the same words of two people are two quotes', () => {
  const reply = (author: string) =>
    `<blockquote itemtype="http://schema.skype.com/Reply"><strong itemprop="mri">${author}</strong><p itemprop="preview">+1</p></blockquote>`;
  const shown = reached({
    text: '',
    attachments: [{ contentType: 'text/html', content: reply('Adele Vance') + reply('Megan Bowen') }],
  });
  expect(shown).toContain('Adele Vance');
  expect(shown).toContain('Megan Bowen');
});
