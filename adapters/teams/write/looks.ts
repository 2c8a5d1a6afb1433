/** What a message's marks of sources show, in short: to know whether it has to be written again. */

import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import type { TeamsPart } from './screen.ts';

/** While a reply runs they stay as they are: what is found then is shown at the end. */
export function looksOf(document: ReplyDocument, part: Pick<TeamsPart, 'from' | 'to' | 'looks'>): string {
  if (!isFinal(document)) return part.looks;
  if (document.sources.length === 0) return '';
  const numbers = numbersOf(sourcesOf(document));
  const found = [...document.text.slice(part.from, part.to).matchAll(mark)].map((match) => Number(match[1]));
  const changed = [...new Set(found)].flatMap((one) => {
    const number = numbers.get(one);
    return number === undefined || number === one ? [] : [`${one}>${number}`];
  });
  return changed.join(' ');
}

const mark = /\[(\d{1,4})\]/g;
