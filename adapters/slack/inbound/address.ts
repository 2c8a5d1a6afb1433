/** Finds out whom a message is for, and removes the mentions of the bot from its text. Pure. */

import { withoutMentions } from '../../../src/kit/ladder.ts';

/**
 * Matches a mention, with or without the person's name: `<@U…>`, `<@U…|name>`. Text that people typed contains no such
 * mention, because `asTyped` changes it.
 */
const mention = (user: string) => new RegExp(`<@${user}(?:\\|[^<>]*)?>`);

/** An invisible character that keeps typed text such as `<@U…>` from being read as a mention. */
const JOINER = '\u2060';

/** Returns text that people typed or that stands in code, in which nothing is a mention. */
export const asTyped = (text: string): string =>
  text.replace(/<(?=@[UW][A-Z0-9]|#[CGD][A-Z0-9]|!subteam\^)/g, `<${JOINER}`);

const untyped = (text: string): string => text.replace(new RegExp(`<${JOINER}(?=[@#!])`, 'g'), '<');

export function mentions(markdown: string, user: string): boolean {
  return mention(user).test(markdown);
}

/** Matches a mention of a person, of a group, or of everybody in a channel. */
const OTHER =
  /<@([A-Z0-9]+)(?:\|[^<>]*)?>|<!(?!date)[^<>]*>|(?<![\w@])@(?:here|channel|everyone|S[A-Z0-9]{6,})\b/g;

/** Returns where the texts mention somebody other than the bot: at the beginning, or later. */
export function otherIn(texts: readonly string[], bot: string): 'first' | 'later' | undefined {
  const found = texts
    .flatMap((text) => [...text.trimStart().matchAll(OTHER)])
    .filter(([, user]) => user !== bot);
  if (found.length === 0) return undefined;
  return found.some(({ index }) => index === 0) ? 'first' : 'later';
}

/** Removes the bot's mentions, with the spaces and the punctuation around them. */
export const withoutMention = (markdown: string, bot: string): string =>
  withoutMentions(markdown.split(mention(bot)));

const STYLED_LINE = /^(\*\*|~~|_)(?!\s)((?:(?!\1)[^\n]){1,200})\1$/;
const STYLED_HEAD = /^(\*\*|~~|_)(@?[\w.-]{1,40}:?)\1/;

/** Removes the style of a text that is one styled line, so that a command is found. */
export function withoutOuterStyle(words: string): string {
  const [, , line] = STYLED_LINE.exec(words) ?? [];
  return line === undefined ? words : withoutOuterStyle(line);
}

/** Removes the style of a name at the start, so that an agent's name is found. */
export const withoutHeadStyle = (words: string): string => words.replace(STYLED_HEAD, '$2');

/** Matches a mention of a person, a conversation or a user group, with or without a name. */
const NAMED = /<(@(?=[UW])|#(?=[CGD])|!subteam\^(?=S))([A-Z0-9]+)(?:\|([^<>]*))?>/g;

/** Returns the ids that need a name: of all people, and of conversations and groups whose name the text lacks. */
export function mentioned(markdown: string) {
  const nameless = [...markdown.matchAll(NAMED)].filter(([, kind, , name]) => kind === '@' || !name);
  const ids = (wanted: string): readonly string[] => [
    ...new Set(nameless.flatMap(([, kind, id = '']) => (kind === wanted ? [id] : []))),
  ];
  return { people: ids('@'), channels: ids('#'), groups: ids('!subteam^') };
}

/** Adds the names that the message's older text contains to ids without a name. */
export function withLabels(markdown: string, older: string): string {
  const labels = new Map(
    [...older.matchAll(/<(#[CGD][A-Z0-9]+|!subteam\^S[A-Z0-9]+)\|([^<>]+)>/g)].map(
      ([, target = '', label = '']) => [target, label],
    ),
  );
  return markdown.replace(/<(#[CGD][A-Z0-9]+|!subteam\^S[A-Z0-9]+)>/g, (whole, target: string) => {
    const label = labels.get(target);
    return label === undefined ? whole : `<${target}|${label}>`;
  });
}

/**
 * Replaces ids of people, conversations and groups by their names: the names that Slack returned, else those in the
 * text. An id whose name is unknown stays.
 */
export function withNames(markdown: string, nameOf: (id: string) => string | undefined): string {
  const renamed = markdown.replace(NAMED, (_, kind: string, id: string, given?: string) => {
    const sign = kind === '#' ? '#' : '@';
    return `${sign}${(nameOf(id) ?? (given || id)).replace(new RegExp(`^${sign}`), '')}`;
  });
  return untyped(renamed);
}
