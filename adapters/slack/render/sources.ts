/** The list of an answer's sources, numbered as in its text. */

import type { MarkdownBlock } from '@slack/types';
import { followed, linkTo } from '../../../src/kit/emission.ts';
import { type NumberedSource, sourceTitle } from '../../../src/kit.ts';
import { asWords, shortened } from './escape.ts';
import { words } from './words.ts';

/** Sources that a message lists; the rest stand behind the button. */
export const LISTED_SOURCES = 5;
const TITLE_CHARS = 120;

/** @param room characters that the message's Markdown still has; what would not fit loses its link, then its line */
export function sourceList(sources: readonly NumberedSource[], room: number): MarkdownBlock[] {
  let text = `**${words.sources}**`;
  for (const { number, source } of sources.slice(0, LISTED_SOURCES)) {
    const title = shortened(sourceTitle(source, number), TITLE_CHARS);
    const name = asWords(title);
    const target = source.link === undefined ? undefined : followed(source.link);
    const linked = target === undefined ? name : linkTo(target, title, name);
    const line = [linked, name].find((each) => text.length + each.length + 8 <= room);
    if (line === undefined) break;
    text += `\n${number}. ${line}`;
  }
  return sources.length === 0 || !text.includes('\n') ? [] : [{ type: 'markdown', text }];
}
