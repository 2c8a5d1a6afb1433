import { sentencesOf } from '../words/terms.ts';

/** The smallest part of a passage that can be quoted: a sentence, a list item, a table row or an image. */
export interface Unit {
  readonly kind: 'sentence' | 'item' | 'row' | 'image';
  readonly text: string;
  /** Number of the block (paragraph, list, table) that this part belongs to. */
  readonly block: number;
  /** Header and divider of the table that a row belongs to; empty for any other part. */
  readonly head: string;
}

const IMAGE = /^!\[[^\]]*\]\(\d+\)$/;

const CODE = /^\s*(```|~~~)/;

/** Returns the parts of a passage that can be quoted, in order. Code is left out unless it belongs to a list item. */
export function unitsOf(text: string): readonly Unit[] {
  const units: Unit[] = [];
  for (const [block, part] of text.split('\n\n').entries()) {
    const last = units.at(-1);
    if (CODE.test(part)) {
      if (/^\s/.test(part) && last?.kind === 'item') units[units.length - 1] = withCode(last, part);
    } else if (IMAGE.test(part)) units.push({ kind: 'image', text: part, block, head: '' });
    else if (part.startsWith('|')) units.push(...rowsOf(part, block));
    else if (/^\s*([-*+]|\d+[.)])\s/.test(part)) units.push(...itemsOf(part, block));
    else
      units.push(
        ...sentencesOf(unmarked(part)).map(
          (sentence): Unit => ({ kind: 'sentence', text: sentence, block, head: '' }),
        ),
      );
  }
  return units;
}

const withCode = (item: Unit, code: string): Unit => ({ ...item, text: `${item.text}\n\n${code}\n` });

function rowsOf(table: string, block: number): readonly Unit[] {
  const [head = '', divider = '', ...rows] = table.split('\n').map((line) => line.trim());
  return rows.map((row) => ({ kind: 'row', text: row, block, head: `${head}\n${divider}` }));
}

/** Splits a list into items. A line that begins no item belongs to the item above it. */
function itemsOf(list: string, block: number): readonly Unit[] {
  const items: string[] = [];
  for (const line of list.split('\n')) {
    if (/^\s*([-*+]|\d+[.)])\s/.test(line) || items.length === 0) items.push(line.trimEnd());
    else items[items.length - 1] = `${items.at(-1) ?? ''} ${line.trim()}`;
  }
  return items.map((text) => ({ kind: 'item', text, block, head: '' }));
}

/** Removes the markers of bold text, because splitting the text into sentences could separate a pair of markers. */
const unmarked = (text: string): string => text.replaceAll('**', '');
