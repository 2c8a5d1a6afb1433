/** Reads what a message contains: its words, from the plain text and from the HTML copy, its quotes, cards and files. */

import {
  cleaned,
  containsWords,
  decodeEntities,
  isBlankText,
  isEncoded,
  type Plain,
  plain,
  text,
  wordsIn,
} from '../../../src/kit/ladder.ts';
import { defined, type Quote } from '../../../src/kit.ts';
import type { Mention, TeamsMessage } from '../activity.ts';
import { FORWARDED, fileOf, HTML, isCard, mediaOf, parsed, unsentFiles, unsentParts } from './attachments.ts';
import { cardQuote } from './cards.ts';
import { readHtml, type Written } from './html.ts';
import { addresseeOf, type MarkOf, marksOf, withAllNames, withNames } from './mentions.ts';
import { distinct, MAX_QUOTES, quote, quotedReply, referenceOf, senderOf } from './quotes.ts';

/** Maximum length of the quote of a forwarded message, in UTF-16 units. */
const FORWARDED_UNITS = 20_000;
/** Author of the quote with the plain text of a message whose HTML copy lacks words. */
const WHOLE_MESSAGE = 'the whole message';
/** Maximum descriptions of what the agent does not get. */
const MAX_OMITTED = 20;

interface Received {
  /** The plain text. */
  readonly said: string;
  readonly attachments: readonly Plain[];
  readonly entities: readonly Plain[];
  readonly mentions: readonly Mention[];
  /** Id of the bot in the conversation. */
  readonly bot: string;
}

export type Content = Pick<TeamsMessage, 'text' | 'addressee' | 'files' | 'quoted' | 'omitted'>;

export function readContent({ said, attachments, entities, mentions, bot }: Received): Content {
  const markOf = marksOf(mentions, bot);
  const html = readHtml(htmlOf(attachments), markOf);
  const marked = wordsOfBoth(readText(said, mentions, markOf), html);
  const others = attachments.filter(({ contentType }) => contentType !== HTML);
  const cards = others.filter(isCard);
  const quotes = [
    ...entities.flatMap(quotedReply),
    ...others.flatMap(referenceOf),
    ...html.quoted.map((each) => ({ ...each, text: withAllNames(each.text, mentions, bot) })),
    ...others.flatMap(forwardOf),
    ...cards.flatMap(cardQuote),
  ];
  const more = quotes.length - MAX_QUOTES;
  const omitted = [
    ...(more > 0 ? [`${more} more quotes`] : []),
    ...html.omitted,
    ...others.flatMap(mediaOf),
    ...unsentParts(html, others, cards.length),
  ];
  return {
    text: withNames(marked, mentions),
    ...defined({ addressee: addresseeOf(marked, mentions) }),
    files: [...others.flatMap(fileOf), ...unsentFiles(html, others)],
    quoted: distinct(quotes.slice(0, MAX_QUOTES)),
    omitted: [...new Set(omitted)].slice(0, MAX_OMITTED),
  };
}

/** Reads a message that consists of HTML only, such as one of a thread's history. */
export function readWhole(html: string, attachments: readonly Plain[]): Content {
  const others = attachments.filter(({ contentType }) => contentType !== HTML);
  const copy = { contentType: HTML, content: html };
  return readContent({ said: '', attachments: [...others, copy], entities: [], mentions: [], bot: '' });
}

/** Returns what another message contains as quotes. Its files do not reach the agent, so their names do. */
export function quotesOf(author: string, { text: words, quoted, files, omitted }: Content): readonly Quote[] {
  const lost = [...files.map(({ name }) => `the file ${name}`), ...omitted];
  const pieces = [words, lost.length === 0 ? '' : `[not included: ${lost.join(', ')}]`];
  return [...quoted, ...quote(pieces.filter((each) => each !== '').join('\n\n'), author)];
}

/**
 * Returns the quote of a forwarded message. The attachment contains a whole message of another conversation as HTML
 * (Microsoft Graph, "chatMessageAttachment").
 */
function forwardOf({ contentType, content }: Plain): readonly Quote[] {
  if (contentType !== FORWARDED) return [];
  const { originalMessageContent, originalMessageSender } = parsed(content);
  const html = (text(originalMessageContent) ?? '').slice(0, FORWARDED_UNITS);
  return quotesOf(senderOf(originalMessageSender), readWhole(html, []));
}

/** Returns the HTML copy of the message's text. */
function htmlOf(attachments: readonly Plain[]): string {
  return attachments
    .filter(({ contentType }) => contentType === HTML)
    .map(({ content }) => text(content) ?? text(plain(content).text) ?? text(plain(content).body) ?? '')
    .join('\n');
}

/**
 * Returns the plain text, with marks in place of its mentions. Some of Teams' clients send `a &lt; b`, others `a < b`
 * (MicrosoftDocs/OfficeDocs-SkypeForBusiness issue 4723).
 */
function readText(source: string, mentions: readonly Mention[], markOf: MarkOf): string {
  const marked = (words: string): string => {
    let nth = -1;
    return words.replace(QUOTED, '').replace(AT, (whole, name: string) => {
      nth += 1;
      // The order of the entities decides only if an entity has no text.
      return markOf(name, mentions[nth]?.text === undefined ? nth : undefined) ?? whole;
    });
  };
  const spaced = cleaned(source)
    .replace(/&nbsp;|\u00a0/g, ' ')
    .replace(/\r\n?/g, '\n');
  const words = marked(spaced);
  // Entities may stand for half a character, or for the marks themselves.
  return isEncoded(words) ? marked(cleaned(decodeEntities(spaced)).toWellFormed()) : words;
}

const AT = /<at(?:\s[^<>]{0,100})?>(.{1,300}?)<\/at>/gis;
/** Matches a reference to a quote, which people do not see. */
const QUOTED = /<quoted\s[^<>]{0,200}>(?:<\/quoted>)?/gi;

/**
 * Returns the words of the HTML copy, which contains more structure. If it lacks words of the plain text, returns the plain
 * text, or both if each has words that the other lacks. Only the copy tells the author's words from quotes: if the plain
 * text repeats a quote, the whole plain text becomes a quote, too.
 */
function wordsOfBoth(source: string, { text: rich, quoted, names }: Written): string {
  if (wordsIn(source).length === 0) return isBlankText(rich) ? source : rich;
  const visible = [rich, ...quoted.flatMap((each) => [each.author, each.text]), ...names].join(' ');
  if (containsWords(visible, source)) return rich;
  if (quoted.some((each) => wordsIn(each.text).length > 0 && containsWords(source, each.text))) {
    quoted.push({ author: WHOLE_MESSAGE, text: source });
    return rich;
  }
  return containsWords(source, rich) ? source : `${source}\n\n${rich}`;
}

/** Words for the importance of a message. Teams has two levels above the normal one. */
const IMPORTANCE: ReadonlyMap<unknown, string> = new Map([
  ['high', 'Important!'],
  ['urgent', 'Urgent!'],
]);

/**
 * Returns the importance and the subject of a message. Today's Teams does not send them to bots
 * (microsoft/botframework-sdk#6700, microsoft/botbuilder-dotnet#6720).
 */
export function headlineOf({ importance, subject, channelData }: Plain): string {
  const data = plain(channelData);
  const marks = [IMPORTANCE.get(importance ?? data.importance), text(subject) ?? text(data.subject)];
  return marks.filter(Boolean).join(' ');
}

/** Puts the importance and the subject before the words of a message. */
export const withHeadline = (words: string, headline: string): string =>
  headline === '' || words.includes(headline) ? words : `**${headline}**\n\n${words}`.trim();
