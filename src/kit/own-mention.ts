/** Removes mentions of the app from a text, with the spaces and the punctuation that only the mention made necessary. */

/** Number of UTF-16 units before or after a mention that are looked at, so that long texts take linear time. */
const NEAR = 40;
/** Matches the beginning of a line, of a list item, of a quote or of a table cell. */
const OPENS = /(?:^|[\n|])[\s>*_~#-]*(?:\d{1,9}[.)]\s+)?[*_~`]*$/;
const CLOSES = /^[*_~`]*\s*(?:$|[\n|.?!…;:)\]])/;
/** Matches the comma or dash before a mention at the end of a sentence: `how long, @App?` */
const JOINER = /[^\S\n]*(?:,|[^\S\n][–—-])?[^\S\n]*$/;

/** Returns the text without the mentions. `pieces` is the text, split at the mentions. */
export function withoutMentions([first = '', ...rest]: readonly string[]): string {
  return rest.reduce(joined, first).trim();
}

function joined(before: string, after: string): string {
  const near = before.length > NEAR ? `…${before.slice(-NEAR)}` : before;
  const next = after.slice(0, NEAR);
  const [style = ''] = /[*_~`]+$/.exec(near) ?? [];
  // Style that contains only the mention disappears with it.
  if (style !== '' && after.startsWith(style))
    return joined(before.slice(0, -style.length), after.slice(style.length));
  if (OPENS.test(near)) return before + after.replace(/^[\s,:;]*\n|^[\s,:;]+/, '');
  const isBetweenCommas = /,\s*$/.test(near) && /^\s*,/.test(next);
  if (isBetweenCommas || CLOSES.test(next)) return withoutEnd(before, near) + after;
  return / $/.test(near) && /^[\s,]/.test(next) ? before.slice(0, -1) + after : before + after;
}

function withoutEnd(before: string, near: string): string {
  const [end = ''] = JOINER.exec(near) ?? [];
  return before.slice(0, before.length - end.length);
}
