/** Reads search queries, ranks messages, and cuts out the text around a hit. Pure. */

import { plainText } from '../../../src/kit/ladder.ts';
import type { MessageRecord } from './records.ts';
import { isOpen } from './reply-record.ts';

/** Maximum words of a query, and maximum UTF-16 units of each. */
const WORDS = 8;
const WORD_CHARS = 50;
/** Maximum UTF-16 units of a message that are ranked and searched for the place to show. */
const READ_CHARS = 20_000;
/** UTF-16 units that are shown before the first hit, and in total. */
const LEAD_CHARS = 40;
const SHOWN_CHARS = 200;

/** The words of a query, in lower case. All of them must occur in a message. */
export interface Query {
  readonly words: readonly string[];
  /** True if the words may stand inside other words, because the query's script has no spaces. */
  readonly inside: boolean;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u30fc\uff70]/u;

/** Reads a query. Everything but letters and digits separates words, so that no operator of a search engine is left. */
export function readQuery(text: string): Query {
  const found = text.toLowerCase().match(WORD) ?? [];
  const words = [...new Set(found.map((word) => word.slice(0, WORD_CHARS).toWellFormed()))].slice(0, WORDS);
  return { words, inside: UNSPACED.test(words.join('')) };
}

/** Matches the Latin, Greek and Cyrillic letters that may have an accent. */
const ACCENTED = /[\u00c0-\u052f\u1e00-\u1fff]/g;

/** Returns the text in lower case and without accents. Its length stays the same, so that offsets stay valid. */
function fold(text: string): string {
  return text.replace(ACCENTED, (char) => char.normalize('NFD').charAt(0)).toLowerCase();
}

/** Returns the text by which a message is found. The index contains the same text. */
function textOf({ text, reply, shared }: MessageRecord): string {
  const parts = [
    text,
    reply && plainText(reply.text.slice(0, READ_CHARS)),
    shared?.answer?.text,
    shared?.source?.title,
  ];
  return parts.filter(Boolean).join('\n').slice(0, READ_CHARS);
}

/** Returns the whole text by which an index finds a message. A growing answer is not found before its end. */
export function indexedText({ text, reply, shared }: MessageRecord): string {
  const answer = reply && !isOpen(reply) ? reply.text : undefined;
  return [text, answer, shared?.answer?.text, shared?.source?.title].filter(Boolean).join('\n');
}

/** Maximum bytes of the terms of one message. PostgreSQL stores at most 1 MiB of terms, and some bytes for each. */
const TERM_BYTES = 400_000;
const UNSPACED_RUNS = new RegExp(`(?:${UNSPACED.source}\\p{M}*)+|(?:(?!${UNSPACED.source}).)+`, 'gsu');

/**
 * Returns the terms of an index without a tokenizer: the words in lower case and without accents, and of scripts without
 * spaces each letter with the letter after it.
 */
export function termsOf(text: string): readonly string[] {
  const terms = new Set<string>();
  let bytes = 0;
  for (const [word] of fold(text.normalize('NFC').toWellFormed()).matchAll(WORD))
    for (const term of runsOf(word).flatMap(pairsOf)) {
      if (!terms.has(term)) bytes += Buffer.byteLength(term) + 4;
      if (bytes > TERM_BYTES) return [...terms];
      terms.add(term);
    }
  return [...terms];
}

/** Returns the query for PostgreSQL. Terms are letters, digits and marks, so nothing in them needs escaping. */
export function searchTerms({ words }: Query): string {
  const terms = words.flatMap((word) =>
    runsOf(fold(word.normalize('NFC'))).flatMap((run) => {
      const pairs = pairsOf(run);
      // The last letter of a query may have another one after it.
      return pairs.length > 1 ? pairs.slice(0, -1) : pairs;
    }),
  );
  return terms.map((term) => `'${term}':*`).join(' & ');
}

/** True if the message contains all words of the query, perhaps inside other words. */
export function hasAll(record: MessageRecord, { words }: Query): boolean {
  const text = fold(indexedText(record).normalize('NFC'));
  return words.every((word) => text.includes(fold(word.normalize('NFC'))));
}

const runsOf = (word: string): readonly string[] => word.match(UNSPACED_RUNS) ?? [];

function pairsOf(run: string): readonly string[] {
  if (!UNSPACED.test(run)) return [run.slice(0, WORD_CHARS)];
  const letters = [...run];
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ''));
}

/** A message with the text to show: every second part is a hit. */
export interface Ranked {
  readonly record: MessageRecord;
  readonly snippet: readonly string[];
}

/** Constants of BM25: how soon further hits in a message stop counting, and how much its length counts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/**
 * Ranks messages by BM25, and returns the best with their snippets. The frequency of a word in other messages does not
 * count, because the order would tell which words stand in messages that the person may not read.
 */
export function rank(records: readonly MessageRecord[], query: Query, limit: number): readonly Ranked[] {
  const texts = records.map((record) => ({ record, text: textOf(record) }));
  const mean = texts.reduce((sum, { text }) => sum + text.length, 1) / Math.max(texts.length, 1);
  const patterns = query.words.map((word) => patternOf([word], query.inside));
  const scoreOf = (text: string): number => {
    const folded = fold(text);
    const weight = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * text.length) / mean);
    return patterns.reduce((sum, pattern) => {
      const count = folded.match(pattern)?.length ?? 0;
      return sum + (count * (SATURATION + 1)) / (count + weight);
    }, 0);
  };
  return texts
    .map((one) => ({ ...one, score: scoreOf(one.text) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ record, text }) => ({ record, snippet: snippetOf(text, query) }));
}

/** The words contain only letters, digits and marks, so nothing in them needs escaping. */
function patternOf(words: readonly string[], inside: boolean): RegExp {
  return new RegExp(`${inside ? '' : '(?<![\\p{L}\\p{N}])'}(?:${words.map(fold).join('|')})`, 'gu');
}

/** Returns the text around the first hit. Every second part is a hit. */
function snippetOf(text: string, { words, inside }: Query): readonly string[] {
  const hits = [...fold(text).matchAll(patternOf(words, inside))];
  const first = hits[0]?.index ?? 0;
  const from = first <= LEAD_CHARS ? 0 : text.indexOf(' ', first - LEAD_CHARS) + 1 || first - LEAD_CHARS;
  const start = Math.min(from, first);
  const end = start + SHOWN_CHARS;
  const parts = [start > 0 ? '…' : ''];
  let at = start;
  for (const { index, 0: hit } of hits) {
    if (index + hit.length > end) break;
    parts[parts.length - 1] += text.slice(at, index);
    parts.push(text.slice(index, index + hit.length), '');
    at = index + hit.length;
  }
  parts[parts.length - 1] += text.slice(at, end) + (end < text.length ? '…' : '');
  return parts.map((part) => part.replace(/\s+/g, ' ').toWellFormed());
}
