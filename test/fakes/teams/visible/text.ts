/** Returns the visible text of a message as lines: its text, then the texts of its cards. */

import { isJson, type Json } from '../read.ts';
import type { Seen } from './screen.ts';

export function visibleText({ text, cards, informative, suggested }: Seen): string {
  return [text, ...cards.map(textOfCard), informative ?? '', suggested.map(button).join(' ')]
    .filter((line) => line !== '')
    .join('\n');
}

const button = (title: unknown): string => `[${String(title)}]`;

export function textOfCard(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOfCard).filter(Boolean).join('\n');
  if (!isJson(value)) return '';
  const type = String(value.type ?? '');
  if (type === 'RichTextBlock') return (value.inlines as readonly unknown[]).map(inlineText).join('\n');
  if (type === 'TextBlock' || type === 'TextRun') return String(value.text ?? '');
  if (type === 'Image') return `[image: ${String(value.altText ?? '')}]`;
  if (type === 'Action.ShowCard') return `${button(value.title)}\n${textOfCard(value.card)}`;
  if (type.startsWith('Action.')) return button(value.title);
  if (type === 'Table') return tableText(value);
  if (type.startsWith('Input.')) return String(value.label ?? value.title ?? '');
  return ['body', 'items', 'columns', 'inlines', 'images', 'actions']
    .map((name) => textOfCard(value[name]))
    .filter(Boolean)
    .join('\n');
}

/** A run of text without a style may be a string (schema, RichTextBlock). */
const inlineText = (inline: unknown): string => (typeof inline === 'string' ? inline : textOfCard(inline));

const tableText = ({ rows }: Json): string =>
  (Array.isArray(rows) ? rows : [])
    .filter(isJson)
    .map(({ cells }) =>
      (Array.isArray(cells) ? cells : []).map((cell: unknown) => textOfCard(cell)).join(' | '),
    )
    .join('\n');
