/** Reads what a message contains: its own words, the messages and pages that it quotes, and its files. */

import { cutBefore, list, type Plain, plain, plains, text, visibleWords } from '../../../src/kit/ladder.ts';
import { defined, type Quote } from '../../../src/kit.ts';
import { decodeFile } from '../receive/decode.ts';
import type { SlackFile, SlackMessage } from '../receive/events.ts';
import { withLabels } from './address.ts';
import { blocksMarkdown, isTable } from './blocks.ts';
import { mrkdwnMarkdown } from './mrkdwn.ts';
import { dateOf } from './rich-text.ts';

/**
 * Maximum attachments of one message that become quotes, as many as Slack accepts, and maximum levels of forwards inside
 * forwards.
 */
const QUOTES = 100;
const LEVELS = 3;
/** Maximum UTF-16 units of the quote of a message: more than a question contains, which then says that words are missing. */
const QUOTE_CHARS = 8_000;

type Written = Pick<SlackMessage, 'text' | 'blocks' | 'attachments' | 'files' | 'bot'>;

/** Returns the text of the message itself. */
export function messageMarkdown({ blocks, attachments, text: older, bot }: Written): string {
  const inBlocks = blocksMarkdown(blocks);
  const original = mrkdwnMarkdown(older).trim();
  const own = plains(attachments)
    .filter((each) => isOwn(each, bot))
    .map((each) => attachmentMarkdown(each));
  const words = bot === undefined ? inBlocks || original : richer(inBlocks, original);
  return withLabels([words, ...own].filter(Boolean).join('\n\n'), older);
}

/** A quote with its author's id, before the name is looked up. */
export interface Unnamed extends Quote {
  readonly user?: string;
}

/** Returns the message as a quote, followed by the messages and pages that it shares. */
export function quotesOf(message: SlackMessage, kind: Quote['kind']): readonly Unnamed[] {
  const { user, bot, name } = message;
  const author = name ?? user ?? bot ?? 'somebody';
  const own = { author, text: quotedText(message, messageMarkdown(message)), ...defined({ user }) };
  return [own, ...messageQuotes(message)]
    .filter(({ text }) => text !== '')
    .map((quote) => ({
      ...quote,
      text: quote.text.slice(0, cutBefore(quote.text, QUOTE_CHARS)),
      ...defined({ kind }),
    }));
}

/** Returns a message's Markdown followed by its files: their names, and the text that Slack shows of them. */
function quotedText({ files }: Pick<Written, 'files'>, markdown: string): string {
  const shared = files.flatMap(({ name, closed, words }) => [
    `(shared ${closed ?? `the file ${name}`})`,
    ...(words === undefined ? [] : [words.text]),
  ]);
  return [markdown, ...shared].filter((each) => each !== '').join('\n');
}
/** Returns the messages and pages by others that this message shares, forwards or links to, each with its author. */
export function messageQuotes({ attachments, bot }: Written, level = 0): readonly Quote[] {
  if (level >= LEVELS) return [];
  return plains(attachments)
    .filter((each) => !isOwn(each, bot))
    .slice(0, QUOTES)
    .flatMap((each) => [
      quoteOf(each),
      ...forwardedIn(each).flatMap((message) => messageQuotes(message, level + 1)),
    ])
    .filter((each) => each.text !== '');
}

function quoteOf(attachment: Plain): Quote {
  const author = authorOf(attachment);
  const files = messageFiles({ files: [], attachments: [attachment] }, LEVELS - 1);
  const words = quotedText({ files }, attachmentMarkdown(attachment, author));
  return { author: author ?? 'attachment', text: words || (author ?? '') };
}

/** Returns the files of the message and of the messages that it forwards. */
export function messageFiles(
  { files, attachments }: Pick<Written, 'files' | 'attachments'>,
  level = 0,
): readonly SlackFile[] {
  if (level >= LEVELS) return files;
  const forwarded = plains(attachments)
    .slice(0, QUOTES)
    .flatMap(forwardedIn)
    .flatMap((message) => messageFiles(message, level + 1));
  return [...new Map([...files, ...forwarded].map((file) => [file.id, file])).values()];
}

/** Properties of an attachment that Slack makes of a table which a person pastes (vercel/chat#803). */
const PASTED = new Set(['id', 'blocks', 'fallback', 'color']);
/** Properties of forwarded messages and of previews of links. */
const FOREIGN =
  'is_share is_msg_unfurl is_reply_unfurl is_app_unfurl message_blocks from_url original_url'.split(' ');

/**
 * True if the author of the message wrote the attachment: a table that a person pasted, or the text of an app. Everything
 * else is by others, such as the preview of a link, and must not count as the author's words.
 */
function isOwn(attachment: Plain, bot: string | undefined): boolean {
  if (bot !== undefined) return FOREIGN.every((name) => !attachment[name]);
  const blocks = plains(attachment.blocks);
  return (
    blocks.length > 0 && blocks.every(isTable) && Object.keys(attachment).every((name) => PASTED.has(name))
  );
}

function authorOf({ author_name, author_subname, service_name, title }: Plain): string | undefined {
  return [author_name, author_subname, service_name, title].map(text).find((name) => name !== undefined);
}

/** Returns the forwarded messages, with the attachments and files that Slack sends beside them. */
function forwardedIn(attachment: Plain): readonly Written[] {
  const inside = plains(attachment.message_blocks).map(({ message }) => plain(message));
  const beside = { attachments: attachment.attachments, files: attachment.files };
  return [beside, ...inside].map((message: Plain) => ({
    text: text(message.text) ?? '',
    blocks: list(message.blocks),
    attachments: list(message.attachments),
    files: plains(message.files).flatMap((file) => decodeFile(file) ?? []),
    ...defined({ bot: text(message.bot_id) }),
  }));
}

/** Returns all words of an attachment that people see, without the author, whom a quote names beside the words. */
function attachmentMarkdown(attachment: Plain, author = ''): string {
  const forwarded = forwardedIn(attachment).map(messageMarkdown).filter(Boolean).join('\n\n');
  const given = (name: string): string => mrkdwnMarkdown(text(attachment[name]) ?? '');
  const body = richer(forwarded || blocksMarkdown(list(attachment.blocks)), given('text'));
  const fields = plains(attachment.fields).map(({ title, value }) =>
    mrkdwnMarkdown([title, value].flatMap((each) => each || []).join(': ')),
  );
  const labels = plains(attachment.actions)
    .flatMap((action) => [action, ...plains(action.selected_options)])
    .map((each) => text(each.text) ?? '');
  const head = ['author_name', 'author_subname', 'service_name', 'pretext', 'title'].map(given);
  const links = [text(attachment.title_link) ?? '', text(attachment.from_url) ?? ''];
  // A name often stands in several properties of the head, and both links may be the same. Values may be equal.
  const parts = [
    ...new Set(head.filter((each) => each !== author)),
    body,
    ...fields,
    ...labels,
    ...visibleWords(attachment.preview),
    given('footer'),
    dateOf(attachment.ts),
    ...new Set(links),
  ];
  return [...parts.filter((each) => each.trim() !== ''), body === '' ? fallbackOf(attachment) : '']
    .join('\n')
    .trim();
}

/** Returns the text for clients that show no attachments, without the placeholder that Slack puts there. */
function fallbackOf({ fallback, title }: Plain): string {
  const words = mrkdwnMarkdown(text(fallback) ?? '');
  return /^\[no preview available\]$/i.test(words) || words === title ? '' : words;
}

/**
 * Returns the richer one of two forms of a message, or both if each has words that the other lacks and the older text is
 * longer. Apps send a summary beside their blocks, but some put all words into one of the two.
 */
function richer(inBlocks: string, older: string): string {
  const [blocks, summary] = [timesOfWords(inBlocks), timesOfWords(older)];
  if (summary.size <= blocks.size) return inBlocks || older;
  return [...blocks].every(([word, times]) => times <= (summary.get(word) ?? 0))
    ? older
    : `${older}\n\n${inBlocks}`;
}

/** Returns how often each word stands in the text. */
function timesOfWords(text: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}
