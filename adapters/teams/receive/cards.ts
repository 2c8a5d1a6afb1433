/** Reads the words of cards: Adaptive Cards, the older cards of the Bot Framework, and those of connectors. */

import { list, type Plain, plain, plains, text, visibleWords } from '../../../src/kit/ladder.ts';
import type { Quote } from '../../../src/kit.ts';
import { parsed } from './attachments.ts';

/** Returns the words of a card as a quote of the app, because they are not the author's own. */
export function cardQuote({ content, name }: Plain): readonly Quote[] {
  const card = parsed(content);
  const words = wordsOf(card, '\n', 0);
  return words === '' ? [] : [{ author: text(name) ?? text(card.title) ?? 'a card', text: words }];
}

/** Maximum nesting of elements whose words belong together; deeper ones are read like unknown elements. */
const MAX_DEPTH = 20;

function wordsOf(element: unknown, between: string, depth: number): string {
  const read = (each: Plain) => (depth < MAX_DEPTH ? readElement(each, depth + 1) : undefined);
  return visibleWords(element, { read }).join(between);
}

/** Returns the words of elements whose words belong together; undefined for other elements. */
function readElement(element: Plain, depth: number): string | undefined {
  const { type, title, label, placeholder, url, key = element.name, value, display } = element;
  switch (type) {
    case 'RichTextBlock':
      return list(element.inlines)
        .map((run) => runOf(run, depth))
        .join('');
    case 'FactSet':
      return plains(element.facts)
        .map((fact) => together([fact.title, fact.value], ': '))
        .join('\n');
    case 'Table':
      return plains(element.rows)
        .map(({ cells }) => inColumns(cells, depth))
        .join('\n');
    case 'ColumnSet':
      return inColumns(element.columns, depth);
    case 'Input.Toggle':
      return together([label, title], '\n');
    case 'Input.ChoiceSet':
      return together([label, placeholder, ...plains(element.choices).map((choice) => choice.title)], '\n');
    case 'Action.OpenUrl':
      return text(title) && text(url) ? `[${title}](${url})` : undefined;
    case undefined:
      // Facts of receipts and connectors, and choices of connectors.
      return text(display) ?? (text(key) && text(value) ? `${key}: ${value}` : undefined);
    default:
      return undefined;
  }
}

const together = (parts: readonly unknown[], between: string): string =>
  parts.flatMap((part) => text(part) ?? []).join(between);

const runOf = (run: unknown, depth: number): string =>
  typeof run === 'string' ? run : (text(plain(run).text) ?? wordsOf(run, ' ', depth));

const inColumns = (columns: unknown, depth: number): string =>
  plains(columns)
    .map((column) => wordsOf(column, ' ', depth))
    .join(' | ');
