/**
 * Finds the mentions in a message. The id in a mention's entity decides who is mentioned. The entity's text may be missing
 * (Microsoft 365 Copilot, microsoft/teams.py#180; names with `&`, microsoft/botbuilder-js#2083), and a name may be split
 * into one mention for each word (microsoft/botbuilder-js#4379).
 */

import { decodeEntities, withoutMentions } from '../../../src/kit/ladder.ts';
import type { Mention } from '../activity.ts';

/** Marks of mentions until the whole text is known: noncharacters, which are removed from everything received. */
const OWN = '\ufdd0';
const OTHER = '\ufdd1';
/** Code of the character after `OTHER` for the first mention. */
const FIRST = 0xe000;

/** Returns the mark for a mention, or undefined if no entity describes it. `nth` is the number that the HTML states. */
export type MarkOf = (label: string, nth?: number) => string | undefined;

export function marksOf(mentions: readonly Mention[], bot: string): MarkOf {
  const known = mentions.map(({ id, name, text }, at) => ({
    mark: id === bot ? OWN : OTHER + String.fromCharCode(FIRST + at),
    names: [folded(name), folded(text ?? '')],
  }));
  return (label, nth = -1) => {
    const words = folded(label);
    if (words === '') return undefined;
    const numbered = known[nth];
    const whole = (each: typeof numbered) => each?.names.includes(words) === true;
    const part = (each: typeof numbered) => each?.names.some((name) => ` ${name} `.includes(` ${words} `));
    const found = whole(numbered) ? numbered : (known.find(whole) ?? known.find(part) ?? numbered);
    return found?.mark;
  };
}

const folded = (name: string): string =>
  decodeEntities(name)
    .replace(/<\/?at\b[^<>]{0,100}>/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** Returns the text without mentions of the app, and with the names of other people. */
export function withNames(text: string, mentions: readonly Mention[]): string {
  let end = -1;
  let last: Mention | undefined;
  return withoutMentions(text.split(OWN)).replace(
    /\ufdd1(.)(\s*)/gs,
    (whole: string, mark: string, gap: string, offset: number) => {
      const who = mentions[mark.charCodeAt(0) - FIRST];
      const name = who?.name || nameIn(who?.text ?? '');
      const continues = offset === end && who?.id === last?.id;
      const isRepeated = continues && name === last?.name;
      end = offset + whole.length;
      last = who;
      if (isRepeated) return '';
      return `${continues ? '' : '@'}${name}${gap}`;
    },
  );
}

/** Returns the words of a quote with all names, also the app's, because a mention in a quote addresses nobody. */
export function withAllNames(text: string, mentions: readonly Mention[], bot: string): string {
  const own = mentions.findIndex(({ id }) => id === bot);
  return withNames(text.replaceAll(OWN, OTHER + String.fromCharCode(FIRST + own)), mentions);
}

const nameIn = (mark: string): string => decodeEntities(mark.replace(/<[^<>]*>/g, ''));

/** Returns the id of the person whose mention begins the text. */
export function addresseeOf(text: string, mentions: readonly Mention[]): string | undefined {
  const [, mark = ''] = /^\s*\ufdd1(.)/s.exec(text) ?? [];
  return mentions[mark.charCodeAt(0) - FIRST]?.id;
}
