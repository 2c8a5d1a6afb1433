/** Renders one message of a reply. Pure. */

import { isFinal, type ReplyDocument, sourceTitle } from 'parley/kit';
import {
  type Begin,
  createEmitter,
  ENDED,
  type LinkOf,
  mend,
  numbersOf,
  shortened,
  sourcesOf,
} from 'parley/kit/ladder';
import { linked, styled } from './styled.ts';
import { words } from './words.ts';

/** Measures the Markdown and numbers its sources. Leaves the Markdown as it is, because `styled` converts it later. */
export const emitter = createEmitter({
  prose: (text) => text,
  code: (text) => text,
  codeSpan: (text) => text,
  language: (name) => name,
  mark: (number) => `\\[${number}]`,
  image: (text) => `${words.imageMark} ${text}`,
});

/**
 * Maximum characters of a message's text. Every correction sends the whole text again, and servers limit bytes, so that
 * a longer text would grow more slowly. Servers accept stanzas of 64 KiB or more.
 */
export const PART_CHARS = 3_000;
/** Maximum number of listed sources and files, and characters of a name and of a notice. */
const LISTED = 10;
const NAME_CHARS = 150;
const NOTICE_CHARS = 1_000;

/** The part of the answer's text that one message shows. */
export interface Extent {
  readonly begin: Begin;
  /** End of the part; absent if it reaches the end of the text. */
  readonly to?: number | undefined;
}

/**
 * Returns the body of the message. It is never blank.
 * @param mayBeDouble true if an earlier message of unknown outcome may show the same text
 */
export function bodyOf(
  document: ReplyDocument,
  { begin, to }: Extent,
  linkOf: LinkOf,
  mayBeDouble: boolean,
): string {
  const isEnd = to === undefined && isFinal(document);
  const raw = emitter.headOf(document.text, begin) + document.text.slice(begin.at, to);
  const source = to === undefined && !isEnd ? mend(raw) : raw;
  const sources = sourcesOf(document, { linkOf });
  const numbers = numbersOf(sources);
  const fresh = begin.fresh || begin.fence !== undefined;
  const text = styled(emitter.markdown(source, { at: 0, fresh }, { ...ENDED, numbers }));
  const under = isEnd ? underText(document, sources, mayBeDouble) : [];
  const parts = [text, ...under].filter((each) => each.trim() !== '');
  if (parts.length > 0) return parts.join('\n\n');
  return isFinal(document) ? words.noText : (document.meanwhile ?? words.thinking);
}

type Numbered = ReturnType<typeof sourcesOf>;

function underText(document: ReplyDocument, sources: Numbered, mayBeDouble: boolean): readonly string[] {
  const { notices, media, suggestions, retry, editions } = document;
  const files = media.flatMap(({ kind, name, link }) =>
    kind === 'file' && link !== undefined ? linked(line(name, NAME_CHARS), link) : [],
  );
  const asked = suggestions.map((text, at) => `${at + 1}. ${line(text, NOTICE_CHARS)}`);
  return [
    ...notices.map(({ tone, text }) => `${tone === 'info' ? '' : '⚠ '}${line(text, NOTICE_CHARS)}`),
    retry ? words.retry : '',
    mayBeDouble ? words.unconfirmed : '',
    listed(files),
    listed(sourcesIn(sources), words.sources),
    listed(asked, words.suggested),
    editions === undefined ? '' : words.version(editions.shown, editions.count),
  ];
}

const sourcesIn = (sources: Numbered): readonly string[] =>
  sources.map(({ number, source }) => {
    const title = line(sourceTitle(source, number), NAME_CHARS);
    return `[${number}] ${linked(title, source.link ?? '')}`;
  });

/** Returns the numbered sources of an answer, one per line; empty if it has none. */
export const sourceLines = (document: ReplyDocument, linkOf: LinkOf): string =>
  listed(sourcesIn(sourcesOf(document, { linkOf })));

const listed = (all: readonly string[], ...title: readonly string[]): string =>
  all.length === 0 ? '' : [...title, ...all.slice(0, LISTED)].join('\n');

/** Returns a text of an agent or a document on one line, without Markdown that styling would read. */
const line = (text: string, limit: number): string =>
  shortened(styled(text).replace(/\s+/g, ' ').trim(), limit);
