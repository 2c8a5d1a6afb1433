/** Finds out whom a message is for, and removes the mentions of the bot from its text. Pure. */

/** Matches a mention, with or without the person's name: `<@U…>`, `<@U…|name>`. */
const mention = (user: string, flags: string) => new RegExp(`<@${user}(?:\\|[^<>]*)?>`, flags);

export function mentions(markdown: string, user: string): boolean {
  return mention(user, '').test(markdown);
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

/** Removes the bot's mentions, with the spaces and punctuation around them. */
export function withoutMention(markdown: string, bot: string): string {
  const leading = new RegExp(`^\\s*(?:${mention(bot, '').source}[\\s,:;]*)+`);
  return markdown
    .replace(leading, '')
    .replace(new RegExp(` ?${mention(bot, '').source}`, 'g'), '')
    .trim();
}

/** Returns the ids of all people whom the text mentions. */
export function peopleIn(markdown: string): readonly string[] {
  return [...new Set([...markdown.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id]) => id ?? ''))];
}

/** Replaces ids of people and conversations by their names. An id whose name is unknown stays. */
export function withNames(markdown: string, nameOf: (user: string) => string | undefined): string {
  return markdown
    .replace(
      /<@([UW][A-Z0-9]+)(?:\|([^<>]*))?>/g,
      (_, id: string, given?: string) => `@${nameOf(id) ?? (given || id)}`,
    )
    .replace(/<#([CGD][A-Z0-9]+)(?:\|([^<>]*))?>/g, (_, id: string, given?: string) => `#${given || id}`);
}
