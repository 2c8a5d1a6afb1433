/** Converts Slack's older text format, mrkdwn, to Markdown. Used for messages without blocks. */

import { fenced, inCode, link } from './rich-text.ts';

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
 * Matches `<url|label>`, `<url>` and `<!here>`. Ids of people and conversations are left for a later look-up of their
 * names.
 */
const ANGLE = /<([^<>\n]+)>/g;

function prose(text: string): string {
  const marked = text
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**')
    .replace(/(?<![\w~])~(?=\S)([^~\n]*[^~\s])~(?![\w~])/g, '~~$1~~');
  return entities(marked.replace(ANGLE, (whole, inner: string) => angle(inner) ?? whole));
}

function angle(inner: string): string | undefined {
  const [target = '', label] = inner.split('|', 2);
  if (target.startsWith('@')) return `<${target}>`;
  if (target.startsWith('#')) return label ? `#${label}` : `<${target}>`;
  if (target.startsWith('!')) return special(target.slice(1), label);
  return /^(https?|mailto|tel|ftp|slack):/i.test(target) ? link(target, label) : undefined;
}

function special(target: string, label: string | undefined): string {
  const [kind = '', ...more] = target.split('^');
  if (kind === 'subteam') return label ?? `@${more[0] ?? 'group'}`;
  if (kind === 'date') return label ?? '';
  return `@${kind}`;
}

/** Returns code with each link replaced by the text that the person typed. */
function words(code: string): string {
  return entities(code.replace(ANGLE, (_, inner: string) => inner.split('|').at(-1) ?? inner));
}

/** Decodes the three characters that Slack escapes. */
function entities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
