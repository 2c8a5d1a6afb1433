/** Whom a message addresses, and what it says without the address. Pure. */

import type { Mention, TeamsMessage } from '../activity.ts';

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
  const own = mentions.filter(({ id }) => id === place.bot);
  const others = mentions.filter(({ id }) => id !== place.bot);
  return named(withoutOwn(text, own), others).trim();
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

/** All at once: what a name says is not read again, else a few that name each other grow without end (attack S22). */
function named(words: string, others: readonly Mention[]): string {
  if (others.length === 0) return words;
  const names = new Map(others.map(({ text, name }) => [text, `@${name || bare(text)}`]));
  const marks = [...names.keys()].toSorted((one, other) => other.length - one.length).map(literally);
  return words.replace(new RegExp(marks.join('|'), 'g'), (mark) => names.get(mark) ?? mark);
}

/** A pattern that finds the text and nothing else. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const bare = (mark: string): string => mark.replace(/<[^<>]*>/g, '');
