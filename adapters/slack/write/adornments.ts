/** What a message shows besides its text, in short: to know whether it has to be written again. */

import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { definitionsOf } from '../render/body.ts';
import { readyImages, type SlackPart, type SlackScreen } from './screen.ts';

/**
 * Identifies everything that edits can change besides the text: the numbers of source marks, the presence of reference
 * links and, on the last message, the images. Constant while the reply runs, because such changes are shown at its end.
 */
export function adornments(document: ReplyDocument, part: SlackPart, images: SlackScreen['images']): string {
  if (!isFinal(document)) return part.looks;
  const marks = markNumbers(document, part);
  const shown = part.to === undefined ? filesOf(document, images) : [];
  const linked = definitionsOf(document).size > 0 ? ['links'] : [];
  return marks.length + shown.length + linked.length === 0 ? '' : JSON.stringify([marks, shown, ...linked]);
}

const mark = /\[(\d{1,4})\]/g;

function markNumbers(document: ReplyDocument, { from, to }: SlackPart): readonly string[] {
  if (document.sources.length === 0) return [];
  const text = document.text.slice(from, to);
  const numbers = numbersOf(sourcesOf(document));
  const found = [...text.matchAll(mark)].map((match) => Number(match[1]));
  return [...new Set(found)].flatMap((one) => {
    const number = numbers.get(one);
    return number === undefined || number === one ? [] : [`${one}>${number}`];
  });
}

function filesOf({ media }: ReplyDocument, images: SlackScreen['images']): readonly string[] {
  const ready = readyImages(images);
  return media.flatMap(({ id }) => ready[id] ?? []);
}
