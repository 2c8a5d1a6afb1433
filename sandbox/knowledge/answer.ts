import { sharePath } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';
import { type Language, sentencesOf, termsOf } from '../words/terms.ts';
import texts from './phrases.json' with { type: 'json' };
import type { Hit } from './search.ts';

/** Sentences of the agent itself, in one language. Names in braces are places for values. */
export const phrases = (language: Language): (typeof texts)['en'] => texts[language];

/** Puts values into the places of a sentence. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));

export const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** Maximum passages of an answer, and maximum characters of all passages together, if there are several. */
const MAX_PASSAGES = 3;
const ANSWER_LENGTH = 2_000;
/** Minimum score of a quoted passage, as a share of the best passage's score. */
const SCORE_SHARE = 0.85;
/** Maximum characters of the sentence that is shown from a section. */
const SENTENCE_LENGTH = 300;

/** Returns the passages to quote: the best one, and others that are nearly as good, as long as the answer stays short. */
export function worthQuoting(hits: readonly Hit[]): readonly Hit[] {
  let length = 0;
  return hits.slice(0, MAX_PASSAGES).filter(({ chunk, score }, at) => {
    length += chunk.text.length;
    return at === 0 || (length <= ANSWER_LENGTH && score >= (hits[0]?.score ?? 0) * SCORE_SHARE);
  });
}

/** Returns the best passages of different sections, at most two of one document. */
export function bestSections(hits: readonly Hit[]): readonly Hit[] {
  const sections = [...Map.groupBy(hits, sectionOf).values()].flatMap(([best]) => best ?? []);
  const ofDocument = (hit: Hit) => sections.filter(({ document }) => document.id === hit.document.id);
  return sections.filter((hit) => ofDocument(hit).indexOf(hit) < 2).slice(0, MAX_PASSAGES);
}

export const sectionOf = ({ chunk, document }: Pick<Hit, 'chunk' | 'document'>): string =>
  `${document.id} ${chunk.heading}`;

/** Returns the passages as numbered sources (platform contract REF-2). */
export const sourcesOf = (hits: readonly Hit[]): readonly Source[] =>
  hits.map(({ chunk, document, score }) => ({
    chunk: chunk.id,
    document: document.id,
    title: document.title,
    content: chunk.heading === '' ? chunk.text : `${chunk.heading}\n\n${chunk.text}`,
    score,
  }));

/** Properties of an answer that do not depend on its passages. */
export interface Writing {
  readonly question: string;
  readonly language: Language;
  /** Sentence after the first one; empty if there is none. */
  readonly note: string;
  /** False if the caller sees no sources, so that the answer must not contain their numbers. */
  readonly cites: boolean;
  /** Address of the sandbox. */
  readonly base: string;
}

/** Quotes whole passages, each with its heading and its number. */
export function quote(hits: readonly Hit[], { language, note, cites }: Writing): string {
  const passages = hits.map(
    (hit, at) => `**${headingOf(hit)}**${nameOf(hit)}${mark(at, cites)}\n\n${hit.chunk.text}`,
  );
  return [`${phrases(language).found}${note}`, ...passages].join('\n\n');
}

/** Shows sections, each with a link, one of its sentences and its number. */
export function show(hits: readonly Hit[], { question, language, note, cites, base }: Writing): string {
  const sections = hits.map((hit, at) => {
    const link = `${base}${sharePath(hit.document.id)}#c${hit.chunk.id}`;
    const sentence = sentenceOf(hit.chunk.text, termsOf(question));
    return `${at + 1}. [${headingOf(hit)}](${link})${nameOf(hit)}${mark(at, cites)}\n   ${sentence}`;
  });
  return `${phrases(language).sections}${note}\n\n${sections.join('\n')}`;
}

/** Lists the beginnings of passages with their scores (platform contract FIX-1: demonstration agents). */
export function enumerate(hits: readonly Hit[], { language, note }: Writing): string {
  const lines = hits.map(({ chunk, document, score }, at) => {
    const text = `${headingOf({ chunk, document })} ${chunk.text}`.replace(/\s+/g, ' ');
    return `${at + 1}. **${document.title}** (${score}): ${text.slice(0, 120).toWellFormed()}…`;
  });
  return `${phrases(language).found}${note}\n\n${lines.join('\n')}`;
}

const mark = (at: number, cites: boolean): string => (cites ? ` [${at + 1}]` : '');

/** Returns the innermost heading. All headings together would look like a path. */
const headingOf = ({ chunk, document }: Pick<Hit, 'chunk' | 'document'>): string =>
  (chunk.heading.split(' › ').at(-1) || document.title).replace(/[[\]*]/g, '');

const nameOf = ({ chunk, document }: Hit): string => (chunk.heading === '' ? '' : ` (${document.title})`);

/** Matches the beginning of a list item. */
const ITEM = /^\s*([-*+]|\d+[.)])\s/;

/**
 * Returns the sentence or list item that contains most of the terms; a table row only if there is nothing else. Leaves
 * out code and pictures.
 */
function sentenceOf(text: string, terms: readonly string[]): string {
  const blocks = text.split('\n\n').filter((block) => !/^\s*(```|~~~|!\[)/.test(block));
  const prose = blocks.filter((block) => !block.startsWith('|'));
  const parts = (prose.length > 0 ? prose : blocks)
    .flatMap(partsOf)
    .map((part) => part.replace(ITEM, '').replaceAll('**', '').replace(/\s+/g, ' ').trim());
  const held = (part: string) =>
    terms.filter((term) => part.toLowerCase().includes(term.slice(0, Math.max(4, term.length - 3)))).length -
    (part.endsWith(':') ? 0.5 : 0);
  const best = parts.reduce((one, other) => (held(other) > held(one) ? other : one), parts[0] ?? '');
  return best.length > SENTENCE_LENGTH ? `${best.slice(0, SENTENCE_LENGTH).toWellFormed()}…` : best;
}

function partsOf(block: string): readonly string[] {
  if (block.startsWith('|')) return rowsOf(block);
  return ITEM.test(block) ? block.split(/\n(?=\s*(?:[-*+]|\d+[.)])\s)/) : sentencesOf(block);
}

/** Returns the rows of a table without its header, each as `first cell: second cell`. */
const rowsOf = (table: string): readonly string[] =>
  table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .filter((cell) => cell !== '')
        .join(': ')
        .replace('?: ', '? '),
    );
