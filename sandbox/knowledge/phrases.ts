import type { Language } from '../words/terms.ts';
import texts from './phrases.json' with { type: 'json' };

/** Sentences of the agent itself, in one language. Names in braces are places for values. */
export const phrases = (language: Language): (typeof texts)['en'] => texts[language];

/** Puts values into the places of a sentence. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));

export const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
