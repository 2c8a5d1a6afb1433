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

interface RenderContext {
  readonly linkOf: LinkOf;
  /** True if an earlier message of unknown outcome may show the same text. */
  readonly mayBeDouble: boolean;
}

/** Returns the body of the message. It is never blank. */
export function bodyOf(document: ReplyDocument, { begin, to }: Extent, context: RenderContext): string {
  const raw = emitter.headOf(document.text, begin) + document.text.slice(begin.at, to);
  const source = to === undefined && !isFinal(document) ? mend(raw) : raw;
  const sources = sourcesOf(document, { linkOf: context.linkOf });
  const fresh = begin.fresh || begin.fence !== undefined;
  const text = styled(emitter.markdown(source, { at: 0, fresh }, { ...ENDED, numbers: numbersOf(sources) }));
  const under = to === undefined && isFinal(document) ? underText(document, sources, context) : [];
  const said = text.trim() === '' && under.join('') === '' ? sentence(document) : text;
  return [said, ...under].filter((each) => each.trim() !== '').join('\n\n');
}

/** Returns the sentence of a message without text. */
function sentence(document: ReplyDocument): string {
  return isFinal(document) ? words.noText : (document.meanwhile ?? words.thinking);
}

type Numbered = ReturnType<typeof sourcesOf>;

function underText(
  document: ReplyDocument,
  sources: Numbered,
  { mayBeDouble }: RenderContext,
): readonly string[] {
  const { notices, media, suggestions, retry, editions } = document;
  const files = media.filter(({ kind, link }) => kind === 'file' && link !== undefined);
  return [
    ...notices.map(({ tone, text }) => `${tone === 'info' ? '' : '⚠ '}${line(text, NOTICE_CHARS)}`),
    ...(retry ? [words.retry] : []),
    ...(mayBeDouble ? [words.unconfirmed] : []),
    lines(files, ({ name, link = '' }) => linked(line(name, NAME_CHARS), link)),
    listed(sources, words.sources),
    lines(suggestions, (text, at) => `${at + 1}. ${line(text, NOTICE_CHARS)}`, words.suggested),
    ...(editions === undefined ? [] : [words.version(editions.shown, editions.count)]),
  ];
}

const listed = (sources: Numbered, title?: string): string =>
  lines(
    sources,
    ({ number, source }) =>
      `[${number}] ${linked(line(sourceTitle(source, number), NAME_CHARS), source.link ?? '')}`,
    title,
  );

/** Returns the numbered sources of an answer, one per line; empty if it has none. */
export const sourceLines = (document: ReplyDocument, linkOf: LinkOf): string =>
  listed(sourcesOf(document, { linkOf }));

function lines<T>(all: readonly T[], write: (each: T, at: number) => string, title?: string): string {
  if (all.length === 0) return '';
  const shown = all.slice(0, LISTED).map(write);
  return [...(title === undefined ? [] : [title]), ...shown].join('\n');
}

/** Returns a text of an agent or a document on one line, without Markdown that styling would read. */
const line = (text: string, limit: number): string =>
  shortened(styled(text).replace(/\s+/g, ' ').trim(), limit);
