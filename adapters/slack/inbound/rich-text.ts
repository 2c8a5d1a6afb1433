/**
 * Converts Slack's rich text to Markdown. Ids of people and conversations stay (`<@U…>`, `<#C…>`) until their names are
 * looked up.
 */

import {
  count,
  isPlain,
  longestRun,
  type Plain,
  plains,
  text,
  visibleWords,
} from '../../../src/kit/ladder.ts';
import { asTyped } from './address.ts';

/** Maximum list levels; deeper ones are flattened. Slack's own apps allow nine, but other clients may send more. */
const MAX_LEVEL = 9;
/** Indent per list level: four spaces, enough for content below an item with a two-digit number. */
const INDENT = '    ';

/**
 * Returns the block as Markdown.
 * @param block a block of type `rich_text`
 */
export function richTextMarkdown(block: Plain): string {
  const pieces: Piece[] = [];
  for (const element of plains(block.elements)) add(pieces, element);
  return pieces
    .map(({ markdown }) => markdown)
    .join('\n\n')
    .trim();
}

interface Piece {
  readonly markdown: string;
  /** Set if the piece is a list: the level of its last item. The next list may be at most one level deeper. */
  readonly list?: { readonly level: number; readonly quoted: boolean };
}

function add(pieces: Piece[], element: Plain): void {
  const before = pieces.at(-1);
  if (element.type !== 'rich_text_list') {
    const markdown = blockMarkdown(element);
    if (markdown.trim() !== '') pieces.push({ markdown });
    return;
  }
  const quoted = element.border === 1;
  const above = before?.list?.quoted === quoted ? before.list : undefined;
  const level = Math.min(count(element.indent) ?? 0, above === undefined ? 0 : above.level + 1, MAX_LEVEL);
  const lines = listLines(element, level).join('\n');
  const markdown = quoted ? quote(lines) : lines;
  if (before === undefined || above === undefined) pieces.push({ markdown, list: { level, quoted } });
  else pieces[pieces.length - 1] = { markdown: `${before.markdown}\n${markdown}`, list: { level, quoted } };
}

function blockMarkdown(element: Plain): string {
  switch (element.type) {
    case 'rich_text_quote':
      return quote(inline(element));
    case 'rich_text_preformatted': {
      const code = fenced(plains(element.elements).map(bare).join(''), text(element.language) ?? '');
      return element.border === 1 ? quote(code) : code;
    }
    default:
      return withoutLastBreaks(inline(element));
  }
}

function listLines(element: Plain, level: number): readonly string[] {
  const first = (count(element.offset) ?? 0) + 1;
  const indent = INDENT.repeat(level);
  return plains(element.elements).map((item, index) => {
    const mark = element.style === 'ordered' ? `${first + index}. ` : '- ';
    const rest = `\n${indent}${' '.repeat(mark.length)}`;
    return `${indent}${mark}${inline(item).trimEnd().replaceAll('\n', rest)}`;
  });
}

const inline = (section: Plain): string =>
  section.elements === undefined
    ? otherWords(section)
    : plains(section.elements).map(inlineMarkdown).join('');

/** Mentions. They have no style, so that a styled mention still addresses the bot and still gets a name. */
const MENTIONS = new Set(['user', 'canvas_user_mention', 'channel', 'usergroup', 'broadcast']);

function inlineMarkdown(element: Plain): string {
  const { style, type } = element;
  return styled(bare(element), isPlain(style) && !MENTIONS.has(String(type)) ? style : {});
}

/** Returns an element's text without bold, italic or other styles. */
const bare = (element: Plain): string => knownWords(element) ?? otherWords(element);

function knownWords(element: Plain): string | undefined {
  switch (element.type) {
    case 'text':
      return asTyped(text(element.text) ?? '');
    case 'link':
      return asTyped(link(text(element.url) ?? '', text(element.text)));
    case 'emoji':
      return emoji(element);
    case 'user':
    case 'canvas_user_mention':
      return `<@${text(element.user_id) ?? ''}>`;
    case 'channel':
      return `<#${text(element.channel_id) ?? ''}>`;
    case 'usergroup':
      return `<!subteam^${text(element.usergroup_id) ?? ''}>`;
    case 'broadcast':
      return `@${text(element.range) ?? 'channel'}`;
    case 'team':
      return `@${text(element.team_id) ?? ''}`;
    case 'color':
      return text(element.value) ?? '';
    case 'date':
      return text(element.fallback) ?? dateOf(element.timestamp, text(element.format));
    default:
      return undefined;
  }
}

/** Returns the words of an element whose kind this code does not know, such as the mention of a canvas. */
function otherWords(element: Plain): string {
  const found = visibleWords(element, { read: knownWords }).join(' ');
  const url = text(element.url);
  return url === undefined ? found : link(url, found);
}

/** Returns the date, in Slack's format if there is one; all times are UTC. Empty if there is no date. */
export function dateOf(timestamp: unknown, format = '{ago}'): string {
  const date = new Date(Number(timestamp || Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return '';
  return format.replace(/\{\w+\}/g, date.toISOString());
}

/** True if a person typed the address or telephone number and Slack turned it into a link. */
function isTyped(url: string, label: string): boolean {
  const [, scheme, target = ''] = /^(mailto|tel):(.*)$/i.exec(url) ?? [];
  if (scheme?.toLowerCase() === 'tel')
    return target.replace(/[^\d+]/g, '') === label.replace(/[\s().-]/g, '');
  return scheme !== undefined && target === label;
}

/** Returns a Markdown link. Escapes brackets in the label, because they would end it. */
export function link(url: string, label: string | undefined): string {
  if (label === undefined || label === url || label.trim() === '') return url;
  if (isTyped(url, label)) return label;
  return `[${label.replace(/[[\]]/g, '\\$&')}](${url.replace(/[()<>\s]/g, (each) => encodeURIComponent(each).replace('(', '%28').replace(')', '%29'))})`;
}

/** Returns the emoji itself if Slack sends its code points ("1f44b-1f3fb"), otherwise its name. */
function emoji(element: Plain): string {
  const points = (text(element.unicode) ?? '').split('-').map((point) => Number.parseInt(point, 16));
  const known = points.every((point) => point > 0 && point <= 0x10_ffff);
  return known ? String.fromCodePoint(...points) : `:${text(element.name) ?? 'emoji'}:`;
}

const MARKS = [
  ['strike', '~~'],
  ['italic', '_'],
  ['bold', '**'],
] as const;

/**
 * Adds Markdown markers for bold, italic and other styles around the text. Spaces at the ends of the text stay outside
 * the markers, because Markdown ignores a marker next to a space.
 */
function styled(words: string, style: Plain): string {
  const middle = words.trim();
  if (middle === '') return words;
  const [before, after] = [words.slice(0, words.indexOf(middle)), words.slice(words.trimEnd().length)];
  const coded = style.code === true ? inCode(middle) : middle;
  const marked = MARKS.reduce(
    (inner, [name, mark]) => (style[name] === true ? `${mark}${inner}${mark}` : inner),
    coded,
  );
  return `${before}${marked}${after}`;
}

/**
 * Returns the text as inline code. The code's fence has more backticks than any run of backticks in the text, so that
 * the text cannot end the code.
 */
export function inCode(words: string): string {
  const fence = '`'.repeat(longestRun(words) + 1);
  const gap = words.startsWith('`') || words.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${words}${gap}${fence}`;
}

export function fenced(code: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ''}\n${code.replace(/\n$/, '')}\n${fence}`;
}

/**
 * Removes line breaks at the end. Uses a loop, because a regular expression needs quadratic time for a long run (attack
 * S22: text made to be slow to read).
 */
function withoutLastBreaks(words: string): string {
  let end = words.length;
  while (words[end - 1] === '\n') end--;
  return words.slice(0, end);
}

function quote(markdown: string): string {
  return withoutLastBreaks(markdown)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
