import stop from './stop-words.json' with { type: 'json' };
import synonyms from './synonyms.json' with { type: 'json' };

/** Languages in which agents answer. */
export type Language = keyof typeof stop;

const LANGUAGES = Object.keys(stop) as Language[];
const STOP_WORDS = new Map(LANGUAGES.map((language) => [language, new Set(stop[language].split(' '))]));

/** Words and phrases of this product's domain; those of one line mean the same. */
export const SYNONYMS = synonyms.map((line) => line.split(', '));
const PHRASES = SYNONYMS.flat().filter((each) => each.includes(' '));

/** Matches runs of one script: Han and kana, Thai, or words of letters and digits. */
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+|\p{Script=Thai}+|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]]+(?:['’]\p{L}+)?/gv;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/gu;
const THAI = /^\p{Script=Thai}/u;
const HIRAGANA_ONLY = /^\p{Script=Hiragana}+$/u;

/** Maximum characters of a question that are read. If it is a pasted page, its beginning suffices. */
const MAX_CHARS = 8_000;
const MAX_TERMS = 64;

/** Returns the beginning of a text in one form of Unicode. Never cuts a character in half. */
const normal = (text: string): string => text.slice(0, MAX_CHARS).toWellFormed().normalize('NFKC');

/**
 * Returns the text as the index of words stores it: each Chinese or Japanese character is a word of its own, because
 * these languages put no spaces between words.
 */
export const spaced = (text: string): string => text.normalize('NFKC').replace(CJK, ' $& ');

/** Returns all words of a text in lower case; Chinese and Japanese characters are words of their own. */
export const wordsOf = (text: string): readonly string[] =>
  spaced(normal(text)).toLowerCase().match(RUNS) ?? [];

/**
 * Returns the different terms of a question, without words that occur in any text: its words, and phrases that have
 * synonyms. In Chinese and Japanese, terms are pairs of neighbouring characters; in Thai, words of a dictionary.
 */
export function termsOf(question: string): readonly string[] {
  const runs = normal(question).toLowerCase().match(RUNS) ?? [];
  const terms = runs.flatMap((run) => {
    if (run.search(CJK) === 0) return pairs([...run]);
    if (!THAI.test(run)) return [run.replace(/['’].*$/, '')];
    return [...new Intl.Segmenter('th', { granularity: 'word' }).segment(run)].map(({ segment }) => segment);
  });
  const language = languageOf(question);
  const whole = ` ${wordsOf(question).join(' ')} `;
  const phrases = PHRASES.filter((each) => whole.includes(` ${each} `));
  return [...new Set([...terms.filter((term) => !isEmpty(term, language)), ...phrases])].slice(0, MAX_TERMS);
}

const pairs = (characters: readonly string[]): readonly string[] =>
  characters.length < 2
    ? characters
    : characters.slice(1).map((next, at) => `${characters[at] ?? ''}${next}`);

function isEmpty(term: string, language: Language): boolean {
  if (term.search(CJK) === 0)
    return HIRAGANA_ONLY.test(term) || [...term].some((character) => isStopWord(character, language));
  return (term.length < 2 && !/\d/.test(term)) || isStopWord(term, 'en') || isStopWord(term, language);
}

const isStopWord = (word: string, language: Language) => STOP_WORDS.get(language)?.has(word) === true;

/** Returns the language of a text: from its script, else from the words that are frequent in a language. */
export function languageOf(text: string): Language {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/\p{Script=Han}/u.test(text)) return 'zh';
  const words = wordsOf(text);
  const known = (language: Language) => words.filter((word) => isStopWord(word, language)).length;
  return LANGUAGES.reduce((best, language) => (known(language) > known(best) ? language : best));
}

/** Returns the language of a BCP 47 tag; undefined if the agent does not speak it. */
export const languageOfTag = (tag: string): Language | undefined =>
  LANGUAGES.find((language) => language === tag.toLowerCase().split('-')[0]);

let sentenceSegmenter: Intl.Segmenter | undefined;

/** Returns the sentences of a paragraph, without spaces around them. */
export function sentencesOf(text: string): readonly string[] {
  // It is created when first needed, because loading its data would make the start 12 ms slower.
  sentenceSegmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const found: string[] = [];
  for (const { segment } of sentenceSegmenter.segment(text.replace(/\s+/g, ' '))) {
    // An abbreviation such as "e.g." or "No." does not end a sentence.
    if (/\b(e\.g|i\.e|etc|approx|no|vs)\.\s*$/i.test(found.at(-1)?.slice(-12) ?? ''))
      found.push((found.pop() ?? '') + segment);
    else found.push(segment);
  }
  return found.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}
