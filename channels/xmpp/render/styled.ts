/**
 * Writes Markdown in Message Styling (XEP-0393), which the apps Conversations, Dino, Gajim and Converse show: bold,
 * italic, strikethrough, code and quotes. Everything else becomes plain text. Pure.
 */

import {
  type Block,
  carried,
  followed,
  type Inline,
  imageWords,
  type ListItem,
  parse,
  tableAsCode,
} from 'parley/kit/ladder';
import { words } from './words.ts';

/** Returns a Markdown text as the body of a message. */
export const styled = (markdown: string): string => carried(blocks(parse(markdown), '\n\n'));

const blocks = (all: readonly Block[], between: string): string =>
  all
    .map(block)
    .filter((text) => text !== '')
    .join(between);

function block(each: Block): string {
  switch (each.kind) {
    case 'paragraph':
      return unfenced(inlines(each.children));
    case 'heading':
      return unfenced(span('*', inlines(each.children)));
    case 'quote':
      return prefixed(blocks(each.children, '\n\n'));
    case 'list':
      return each.items
        .map((item, at) => listItem(item, each.start === undefined ? '• ' : `${each.start + at}. `))
        .join('\n');
    case 'code':
      return fenced(each.text);
    case 'table':
      return tableAsCode(each);
    case 'rule':
      return words.rule;
  }
}

const prefixed = (text: string): string => `> ${text.replace(/\n/g, '\n> ')}`;

function listItem({ done, children }: ListItem, mark: string): string {
  const task = done === undefined ? '' : `${words.task(done)} `;
  const text = blocks(children, '\n').replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return `${mark}${task}${text}`;
}

/**
 * Writes a block of code. In Message Styling, a fence is always three backticks, so a line of code that begins with
 * three backticks is indented and does not end the block.
 */
const fenced = (code: string): string => `\`\`\`\n${code.replace(/^(?=```)/gm, ' ')}\n\`\`\``;

/** Keeps text of a paragraph or heading from opening a block of code or a quote. */
const unfenced = (text: string): string => text.replace(/^(?=```|>)/gm, '\u200b');

/** Writes a span between marks. A mark must touch its text, and a span must not contain a line break (XEP-0393). */
function span(mark: string, text: string): string {
  const inner = text.trim();
  return inner === '' || inner.includes('\n') || inner.includes(mark) ? text : `${mark}${inner}${mark}`;
}

const inlines = (all: readonly Inline[]): string => all.map(inline).join('');

function inline(each: Inline): string {
  switch (each.kind) {
    case 'text':
      return unloaded(each.text);
    case 'code':
      return span('`', each.text);
    case 'strong':
      return span('*', inlines(each.children));
    case 'emphasis':
      return span('_', inlines(each.children));
    case 'strike':
      return span('~', inlines(each.children));
    case 'break':
      return each.hard ? '\n' : ' ';
    case 'image':
      return `${words.imageMark} ${imageWords(each.alt, each.destination)}`;
    case 'link':
      return linked(inlines(each.children), each.destination);
  }
}

/** Writes a link as its words and its whole address, so that no words can hide an address (attack S04). */
export function linked(label: string, destination: string): string {
  const target = followed(destination);
  if (target === undefined) return label;
  const href = unloaded(target.href);
  const isSame = label.trim() === '' || label === target.href || `mailto:${label}` === target.href;
  return isSame ? href.replace(/^mailto:/, '') : `${label} (${href})`;
}

/**
 * Matches the address of an image, a sound or a film. Clients load such an address by themselves, which would tell a
 * foreign host whatever the address contains (attack S02). In a code span, they leave it alone.
 */
const media =
  /(?<!`)\b(?:https?|aesgcm|ftp):\/\/[^\s<>()`]*\.(?:avif|bmp|gif|heic|jpe?g|jxl|m4a|m4v|mov|mp3|mp4|mpe?g|oga|ogg|ogv|opus|png|svg|tiff?|wav|webm|webp)(?:[?#&;:!][^\s<>()`]*)?(?![\w/])/gi;

const unloaded = (text: string): string => text.replace(media, '`$&`');
