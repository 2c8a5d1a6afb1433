import stop from './stop-words.json' with { type: 'json' };

/** Stems of words that say nothing about a subject, such as "the". */
const STOP_WORDS: ReadonlySet<string> = new Set(stop.words.flatMap((line) => line.split(' ')));

/** Matches runs of one script: Han and kana, Thai, or words of letters and digits. */
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+|\p{Script=Thai}+|[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu;
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const THAI = /^\p{Script=Thai}/u;
const HIRAGANA_ONLY = /^\p{Script=Hiragana}+$/u;

/**
 * This segmenter and `sentenceSegmenter` are created when first needed, because loading their data would make the start
 * 12 ms slower.
 */
let thaiSegmenter: Intl.Segmenter | undefined;
const thaiWords = (run: string): Intl.Segments => {
  thaiSegmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
  return thaiSegmenter.segment(run);
};

/**
 * Returns the terms of a text in order, including repetitions. Terms are stems of words; in Chinese and Japanese, which
 * have no spaces, pairs of neighbouring characters; in Thai, words of a dictionary.
 */
export function termsOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const run of text.normalize('NFKC').toLowerCase().match(RUNS) ?? []) {
    if (CJK.test(run)) for (const pair of pairs(run)) found.push(pair);
    else if (THAI.test(run)) for (const { segment } of thaiWords(run)) found.push(segment);
    else found.push(run.length > LONGEST_WORD ? run : stemOf(run));
  }
  return found;
}

/** Stems are cached, because documents repeat the same words. */
const stemOf = remembering(20_000, (run) => stem(run.replace(/['’].*$/, '')));

/** Returns the different terms of a question, without stop words. */
export function contentTerms(question: string): readonly string[] {
  return [...new Set(termsOf(question))].filter((term) => !isEmptyTerm(term));
}

/** True for a term that says nothing about a subject: a word or a pair of characters that occurs in any text. */
export function isEmptyTerm(term: string): boolean {
  if (STOP_WORDS.has(term)) return true;
  if (!CJK.test(term)) return term.length < 2 && !/\d/.test(term);
  for (const character of term) if (stop.characters.includes(character)) return true;
  return HIRAGANA_ONLY.test(term);
}

function pairs(run: string): readonly string[] {
  if (run.length < 3) return [run];
  if (BEYOND_16_BITS.test(run)) return pairsOf([...run]);
  const found: string[] = [];
  for (let at = 0; at + 1 < run.length; at += 1) found.push(run.slice(at, at + 2));
  return found;
}

const BEYOND_16_BITS = /[\ud800-\udfff]/;

function pairsOf(characters: readonly string[]): readonly string[] {
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

/**
 * Maximum letters of a word whose ending is cut. A longer word would take too long: the time grows with the square of
 * its letters.
 */
const LONGEST_WORD = 40;

/** Cuts common English endings. For example, claim, claims, claimed and claiming have the same stem. */
export function stem(word: string): string {
  if (word.length < 4 || word.length > LONGEST_WORD || /\d/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (base.endsWith('es') && /(s|x|z|ch|sh)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !/(ss|us|is)$/.test(base)) base = base.slice(0, -1);
  base = withoutEnding(base);
  if (base.endsWith('ment') && base.length > 8) base = base.slice(0, -4);
  if (base.endsWith('ly') && base.length > 5) base = base.slice(0, -2);
  if (base.endsWith('e') && base.length > 4) base = base.slice(0, -1);
  return base.endsWith('y') && base.length > 3 ? `${base.slice(0, -1)}i` : base;
}

function withoutEnding(word: string): string {
  const match = /^(.*[aeiouy].*)(ing|ed)$/.exec(word);
  const base = match?.[1];
  if (base === undefined || base.length < 3) return word;
  return /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

export type Language = 'en' | 'zh' | 'ja';

/** Returns the language in which to answer, from the script of the question. */
export function languageOf(text: string): Language {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}

/** Returns the language of a BCP 47 tag; undefined if the agent does not speak it. */
export function languageOfTag(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split('-');
  return primary === 'en' || primary === 'zh' || primary === 'ja' ? primary : undefined;
}

/** Number of characters at the end of a sentence in which to look for an abbreviation. */
const ENDING = 12;
let sentenceSegmenter: Intl.Segmenter | undefined;

/** Returns the sentences of a paragraph, without spaces around them. */
export function sentencesOf(text: string): readonly string[] {
  const whole = text.replace(/\s+/g, ' ');
  const found: string[] = [];
  sentenceSegmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  for (const { segment } of sentenceSegmenter.segment(whole)) {
    const last = found.at(-1);
    // An abbreviation such as "e.g." or "No." does not end a sentence.
    if (last !== undefined && /(\b(e\.g|i\.e|etc|approx|no|vs)\.)\s*$/i.test(last.slice(-ENDING))) {
      found[found.length - 1] = last + segment;
    } else found.push(segment);
  }
  return found.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

/**
 * Caches a function's results for the latest keys: for at least `limit` keys, and at most twice as many. Does not cache
 * undefined.
 */
export function remembering<T>(limit: number, make: (key: string) => T): (key: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const value = older.get(key) ?? make(key);
    if (recent.size >= limit) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, value);
    return value;
  };
}
