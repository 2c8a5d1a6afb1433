/** Converts Slack's older text format, mrkdwn, to Markdown. Used for messages without blocks. */

import { asTyped } from './address.ts';
import { dateOf, fenced, inCode, link } from './rich-text.ts';

/** Matches fenced and inline code, whose content is not formatted. The pattern tries fences first. */
const CODE = /```([\s\S]*?)```|`([^`\n]+)`/g;

export function mrkdwnMarkdown(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const found of text.matchAll(CODE)) {
    const [whole, block, word] = found;
    pieces.push(prose(text.slice(at, found.index)));
    at = found.index + whole.length;
    if (block === undefined) pieces.push(inCode(words(word ?? '')));
    else pieces.push(lineEnd(pieces), fenced(words(block).replace(/^\n/, '')), text[at] === '\n' ? '' : '\n');
  }
  return [...pieces, prose(text.slice(at))].join('').replace(/\n$/, '');
}

/**
 * Returns the line break to insert before a fence, because a fence must begin a line; empty if `before` already ends
 * with a line break.
 */
function lineEnd(before: readonly string[]): string {
  const last = before.findLast((piece) => piece !== '');
  return last === undefined || last.endsWith('\n') ? '' : '\n';
}

/**
 * Matches `<url|label>`, `<url>` and `<!here>`. Ids of people, conversations and groups are left for a later look-up of
 * their names.
 */
const ANGLE = /<([^<>\n]+)>/g;
/** Matches a mention with the style around it. */
const STYLED_MENTION = /([*_~]{1,3})(<[@#!][^<>\n]*>)([*_~]{1,3})/g;

function prose(text: string): string {
  const marked = text
    .replace(STYLED_MENTION, (whole, before: string, named: string, after: string) =>
      [...before].reverse().join('') === after ? named : whole,
    )
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**')
    .replace(/(?<![\w~])~(?=\S)([^~\n]*[^~\s])~(?![\w~])/g, '~~$1~~');
  return unangled(marked);
}

/** Replaces each match of a pattern, and the text between the matches. */
function replaced(
  text: string,
  pattern: RegExp,
  match: (found: RegExpExecArray) => string,
  rest: (text: string) => string,
): string {
  const pieces: string[] = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    pieces.push(rest(text.slice(at, found.index)), match(found));
    at = found.index + found[0].length;
  }
  return [...pieces, rest(text.slice(at))].join('');
}

/** Converts `<…>` and decodes the rest, in which nothing is a mention. */
const unangled = (text: string): string =>
  replaced(
    text,
    ANGLE,
    ([whole, inner = '']) => entities(angle(inner) ?? asTyped(whole)),
    (rest) => asTyped(entities(rest)),
  );

/** Converts `<…>` outside code in a text that is Markdown already. */
export const markdownText = (text: string): string =>
  replaced(text, CODE, ([code]) => asTyped(code), linked).trim();

const linked = (text: string): string => text.replace(ANGLE, (whole, inner: string) => angle(inner) ?? whole);

function angle(inner: string): string | undefined {
  const bar = inner.indexOf('|');
  const [target, label] = bar < 0 ? [inner] : [inner.slice(0, bar), inner.slice(bar + 1)];
  if (target.startsWith('@')) return `<${inner}>`;
  if (target.startsWith('#')) return label ? `#${label}` : `<${target}>`;
  if (target.startsWith('!')) return special(target.slice(1), label);
  if (/^(https?|mailto|tel|ftp|slack):/i.test(target)) return link(target, label);
  return /^[a-z][\w+.-]*:/i.test(target) ? undefined : label;
}

function special(target: string, label: string | undefined): string {
  const [kind = '', id, format] = target.split('^');
  if (kind === 'subteam') return label ? `@${label.replace(/^@/, '')}` : `<!${target}>`;
  if (kind === 'date') return label || dateOf(id, format) || (format ?? '');
  return `@${(label || kind).replace(/^@/, '')}`;
}

/** Returns code with each link replaced by the text that the person typed. */
function words(code: string): string {
  return asTyped(
    entities(
      code.replace(ANGLE, (whole, inner: string) =>
        /^[@#!]/.test(inner) ? whole : inner.slice(inner.indexOf('|') + 1),
      ),
    ),
  );
}

/** Decodes the three characters that Slack escapes. */
function entities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
