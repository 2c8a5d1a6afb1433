/**
 * Reads the HTML copy of a message. Only the copy contains the addresses of links, the numbers of lists, code, tables,
 * emoji and quotes.
 */

import {
  type Attributes,
  finished,
  htmlToMarkdown,
  isBlankText,
  quotedLines,
  type Reading,
  type Render,
} from '../../../src/kit/ladder.ts';
import type { Quote } from '../../../src/kit.ts';
import type { MarkOf } from './mentions.ts';

/** Maximum quotes, placeholders and omissions of a message. */
const MAX_PARTS = 50;

/** Contents of an HTML copy besides the author's words. */
interface Found {
  readonly quoted: Quote[];
  /** Attachments placed inside the text: their ids in lower case, with the words of a link to the same file. */
  readonly placed: Map<string, string>;
  /** Number of cards and voice messages that people see and the copy does not contain. */
  extensions: number;
  /** Number of pictures, which are attachments of their own. */
  pictures: number;
  /** Descriptions of what people see and text cannot express. */
  readonly omitted: string[];
  /** Names of emoji, which some clients write into the plain text of the message. */
  readonly names: string[];
}

/** `text`: the author's words as Markdown, with marks for mentions. */
export type Written = Found & { readonly text: string };

export function readHtml(html: string, markOf: MarkOf = () => undefined): Written {
  const found: Found = { quoted: [], placed: new Map(), extensions: 0, pictures: 0, omitted: [], names: [] };
  const text = htmlToMarkdown(html, {
    opens: (name, attributes, reading) => LEAVES.get(name)?.(attributes, found, reading),
    renderOf: (name, attributes, reading) => renderOf(name, attributes, reading)?.(found, markOf),
  });
  return { ...found, text };
}

/** Returns HTML as Markdown, without quotes of other messages. */
export const plainOf = (html: string): string => readHtml(html).text;

/** Describes something that the agent does not get. */
export function described(kind: string, name = ''): string {
  if (isSpecific(name) && name.length < 200) return `the ${kind} ${name}`;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** False for generic names, which Teams gives to every picture. */
const isSpecific = (name: string): boolean =>
  !/^(?:(?:pasted )?image|media|gif|sticker|undefined|)$/i.test(name.trim());

type Leaf = (attributes: Attributes, found: Found, reading: Reading) => string;

const emoji: Leaf = ({ alt, title, itemid }, { names }) => {
  names.push(title ?? '', itemid ?? '');
  return alt || title || itemid || '';
};

const GIF = /\/(?:Giphy|Tenor|Sticker|FlikMsg)$/i;

const animation: Leaf = ({ itemtype = '', alt, title }, { omitted }) => {
  omitted.push(described(/\/Sticker$/i.test(itemtype) ? 'sticker' : 'GIF', alt || title));
  return '';
};

const picture: Leaf = (attributes, found, reading) => {
  const { itemtype = '', src = '', alt = '' } = attributes;
  // Microsoft's emoji come from this path, also if they have no type.
  if (/\/Emoji$/i.test(itemtype) || src.includes('/personal-expressions/'))
    return emoji(attributes, found, reading);
  if (reading.nearest('readonly') !== undefined) return '';
  if (GIF.test(itemtype) || /\.gif$|\bgiphy\.com|\btenor\.com/i.test(src))
    return animation(attributes, found, reading);
  found.pictures += 1;
  return isSpecific(alt) ? `[image: ${alt}]` : '';
};

const container: Leaf = (attributes, found, reading) =>
  GIF.test(attributes.itemtype ?? '') ? animation(attributes, found, reading) : '';

const attachment: Leaf = ({ id = '' }, { placed }, { labels }) => {
  if (placed.size < MAX_PARTS) placed.set(id.toLowerCase(), labels.get(id.toLowerCase()) ?? '');
  return '';
};

/** Elements that are complete when they open. */
const LEAVES: ReadonlyMap<string, Leaf> = new Map([
  ['emoji', emoji],
  ['customemoji', emoji],
  ['img', picture],
  ['readonly', container],
  ['attachment', attachment],
]);

type Special = (found: Found, markOf: MarkOf) => Render;

/** Microdata in Teams' quotes: the author, the time, and the words, whole or cut off. */
const NOTES = new Set(['mri', 'time', 'copy', 'preview']);

function renderOf(name: string, attributes: Attributes, reading: Reading): Special | undefined {
  const { itemtype = '', itemprop = '' } = attributes;
  if (name === 'at' || /\/Mention$/i.test(itemtype)) return mention;
  if (/\/InputExtension$/i.test(itemtype)) return extension;
  if (/\/FluidEmbedCard$/i.test(itemtype)) return component;
  if (NOTES.has(itemprop) && reading.nearest('blockquote') !== undefined) return note;
  if (name === 'blockquote') return quotation;
  if (name === 'video' || name === 'audio') return media;
  return name === 'readonly' ? whole : undefined;
}

const whole: Special = () => (text) => text;

const mention: Special =
  (_, markOf) =>
  (text, { attributes: { itemid, id } }) => {
    const name = text.trim();
    return markOf(name, Number(itemid ?? id)) ?? (name && `@${name.replace(/^@/, '')}`);
  };

/** A card of an app, or a voice message (MicrosoftDocs/msteams-docs#14169). Its words are not the author's own. */
const extension: Special = (found) => (text) => {
  if (isBlankText(text)) found.extensions += 1;
  else found.quoted.push({ author: 'a card', text: finished(text) });
  return '';
};

const component: Special = (found) => (text) => {
  if (isBlankText(text)) found.omitted.push(described('Loop component'));
  return text;
};

const media: Special =
  ({ omitted }) =>
  (text, { name, attributes: { alt, title } }) => {
    const label = [alt, title, text].find((each = '') => isSpecific(each));
    omitted.push(described(name === 'video' ? 'video' : 'audio recording', label?.trim()));
    return '';
  };

const note: Special =
  () =>
  (text, { attributes: { itemprop = '' } }, reading) => {
    reading.nearest('blockquote')?.notes.set(itemprop, finished(text));
    return '';
  };

const quotation: Special =
  ({ quoted }) =>
  (text, { attributes: { itemtype = '' }, notes }) => {
    const isOthers = notes.size > 0 || /\/(?:Reply|Forward)$/i.test(itemtype);
    if (!isOthers) return quotedLines(text);
    const words = [notes.get('copy') || notes.get('preview') || '', finished(text)];
    const body = words.filter((each) => each !== '').join('\n\n');
    const author = notes.get('mri') ?? '';
    // A message without words, such as a picture.
    if (body + author !== '') quoted.push({ author: author || 'somebody', text: body || '[no text]' });
    return '';
  };
