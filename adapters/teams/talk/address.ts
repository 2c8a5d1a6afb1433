/** Whom a message addresses, and what it says without the address. Pure. */

import type { Mention, TeamsMessage } from '../receive/activity.ts';

type Worded = Pick<TeamsMessage, 'text' | 'mentions' | 'place'>;

/** Whether the app itself is mentioned: only a mention entity counts, never a name in the words. */
export function mentionsUs({ mentions, place }: Pick<TeamsMessage, 'mentions' | 'place'>): boolean {
  return mentions.some(({ id }) => id === place.bot);
}

/** Whether the words begin by naming somebody else: then they are not for the bridge. */
export function beginsWithOther({ text, mentions, place }: Worded): boolean {
  const said = text.trimStart();
  return mentions.some(({ id, text: there }) => id !== place.bot && said.startsWith(there));
}

/** The words without our own name; other people's stay as names. */
export function wordsOf({ text, mentions, place }: Worded): string {
  const spaced = text.replaceAll('&nbsp;', ' ').replaceAll('\u00a0', ' ');
  const own = mentions.filter(({ id }) => id === place.bot);
  const others = mentions.filter(({ id }) => id !== place.bot);
  return named(withoutOwn(spaced, own), others).trim();
}

function withoutOwn(words: string, own: readonly Mention[]): string {
  const marks = [...new Set(own.map(({ text }) => text))];
  const leading = marks.reduce((rest, mark) => withoutLeading(rest, mark), words);
  return marks.reduce((rest, mark) => rest.replaceAll(` ${mark}`, '').replaceAll(mark, ''), leading);
}

/** At the beginning, also what joined the name to the words goes. */
function withoutLeading(words: string, mark: string): string {
  const said = words.trimStart();
  return said.startsWith(mark) ? said.slice(mark.length).replace(/^[\s,:;]+/, '') : words;
}

function named(words: string, others: readonly Mention[]): string {
  return others.reduce((rest, { text, name }) => rest.replaceAll(text, `@${name || bare(text)}`), words);
}

const bare = (mark: string): string => mark.replace(/<[^<>]*>/g, '');
