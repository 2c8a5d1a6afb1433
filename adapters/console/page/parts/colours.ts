import hljs from 'highlight.js/lib/common';
import type { ComponentChild } from 'preact';
import { now } from '../clock.ts';
import { builtFrom } from './library-markup.ts';

/**
 * Maximum length of a code block and of its lines, in characters. Some grammars take quadratic time on longer hostile
 * code; longer code is shown without colours.
 */
const MAX_CHARS = 10_000;
const LONG_LINE = /.{401}/;

// Its grammar takes more than quadratic time.
hljs.unregisterLanguage('markdown');

/** Grammars that took longer than this for one block, in milliseconds, are not used again: the code may be hostile. */
const SLOW_MS = 250;
const slow = new Set<unknown>();

/** Returns the code as coloured elements; undefined if the language is unknown or slow, or the code is too long. */
export function coloured(text: string, language: string): ComponentChild[] | undefined {
  const grammar = hljs.getLanguage(language);
  if (!grammar || slow.has(grammar) || text.length > MAX_CHARS || LONG_LINE.test(text)) return undefined;
  const began = now();
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  if (now() - began > SLOW_MS) slow.add(grammar);
  return builtFrom(value, new Set(['span']), new Set(['class']));
}
