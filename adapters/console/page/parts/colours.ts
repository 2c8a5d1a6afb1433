import hljs from 'highlight.js/lib/common';
import type { ComponentChild } from 'preact';
import { builtFrom } from './library-markup.ts';

/**
 * Maximum length of a code block and of its lines, in characters. Some grammars take quadratic time on longer hostile
 * code; longer code is shown without colours.
 */
const MAX_CHARS = 10_000;
const LONG_LINE = /.{401}/;

// Its grammar takes more than quadratic time.
hljs.unregisterLanguage('markdown');

/** Returns the code as coloured elements; undefined if the language is unknown or the code is too long. */
export function coloured(text: string, language: string): ComponentChild[] | undefined {
  if (text.length > MAX_CHARS || LONG_LINE.test(text) || !hljs.getLanguage(language)) return undefined;
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  return builtFrom(value, new Set(['span']), new Set(['class']));
}
