/** Whom a message addresses, and what it says without the address. Pure. */

/** Also the form that carries the person's name: `<@U…|name>`. */
const mention = (user: string, flags: string) => new RegExp(`<@${user}(?:\\|[^<>]*)?>`, flags);

export function mentions(markdown: string, user: string): boolean {
  return mention(user, '').test(markdown);
}

/** True if the text begins by naming another person or a group, so that it is not for the bridge. */
export function beginsWithOther(markdown: string, bot: string): boolean {
  const said = markdown.trimStart();
  const named = /^<@([A-Z0-9]+)/.exec(said)?.[1];
  if (named !== undefined) return named !== bot;
  return /^(?:@(?:here|channel|everyone|S[A-Z0-9]{6,})\b|<!)/.test(said);
}

/** The bot's mentions taken out, with what joined them to the words. */
export function withoutMention(markdown: string, bot: string): string {
  const leading = new RegExp(`^\\s*(?:${mention(bot, '').source}[\\s,:;]*)+`);
  return markdown
    .replace(leading, '')
    .replace(new RegExp(` ?${mention(bot, '').source}`, 'g'), '')
    .trim();
}

/** Ids of the people that the words still name by id. */
export function peopleIn(markdown: string): readonly string[] {
  return [...new Set([...markdown.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id]) => id ?? ''))];
}

/** With names for the people; a conversation whose name nobody told stays an id. */
export function withNames(markdown: string, nameOf: (user: string) => string | undefined): string {
  return markdown
    .replace(
      /<@([UW][A-Z0-9]+)(?:\|([^<>]*))?>/g,
      (_, id: string, given?: string) => `@${nameOf(id) ?? (given || id)}`,
    )
    .replace(/<#([CGD][A-Z0-9]+)(?:\|([^<>]*))?>/g, (_, id: string, given?: string) => `#${given || id}`);
}
