/** Converts a message to Markdown: its blocks, its attachments and its quotes. */

import { cutBefore } from '../../../src/kit/emission.ts';
import { isPlain, type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import type { Quote } from '../../../src/kit.ts';
import type { SlackMessage } from '../receive/events.ts';
import { mrkdwnMarkdown } from './mrkdwn.ts';
import { richTextMarkdown } from './rich-text.ts';

/** Maximum attachments of one message that become quotes. */
const QUOTES = 10;

/** Returns the text of the message itself. */
export function messageMarkdown({ blocks, attachments, text: older }: SlackMessage): string {
  const own = blocksMarkdown(blocks);
  const said = own === '' ? mrkdwnMarkdown(older).trim() : own;
  // Slack delivers a pasted table as an attachment, but it is part of what the sender wrote.
  const pasted = plains(attachments)
    .filter(isPasted)
    .map((each) => blocksMarkdown(plains(each.blocks)));
  return [said, ...pasted].filter((each) => each !== '').join('\n\n');
}

/** Returns a message's Markdown followed by the names of its files. */
export function quotedText({ files }: SlackMessage, markdown: string): string {
  const shared = files.map(({ name }) => `(shared the file ${name})`);
  return [markdown, ...shared].filter((each) => each !== '').join('\n');
}

/** Returns the beginning of a text, at most `limit` UTF-16 units. Splits neither words nor characters. */
export function beginning(text: string, limit: number): string {
  return text.slice(0, cutBefore(text, limit));
}

/** Returns the messages by other people that this message shares or quotes, each with its author. */
export function messageQuotes({ attachments }: SlackMessage): readonly Quote[] {
  return plains(attachments)
    .filter((each) => !isPasted(each))
    .slice(0, QUOTES)
    .map((each) => ({ author: authorOf(each), text: attachmentMarkdown(each) }))
    .filter((each) => each.text !== '');
}

const isPasted = (attachment: Plain): boolean =>
  plains(attachment.blocks).some(({ type }) => type === 'table') &&
  text(attachment.author_name) === undefined &&
  attachment.from_url === undefined;

function authorOf(attachment: Plain): string {
  const names = [
    attachment.author_name,
    attachment.author_subname,
    attachment.service_name,
    attachment.title,
  ];
  return names.map(text).find((name) => name !== undefined) ?? 'attachment';
}

function attachmentMarkdown(attachment: Plain): string {
  const shared = plains(attachment.message_blocks).flatMap(({ message }) => plains(plain(message).blocks));
  const inBlocks = blocksMarkdown(shared.length > 0 ? shared : plains(attachment.blocks));
  const words =
    inBlocks === '' ? mrkdwnMarkdown(text(attachment.text) ?? text(attachment.fallback) ?? '') : inBlocks;
  const title = [attachment.pretext, attachment.title].map(text).filter((each) => each !== undefined);
  const fields = plains(attachment.fields).map(
    (field) => `${text(field.title) ?? ''}: ${text(field.value) ?? ''}`,
  );
  const from = text(attachment.from_url);
  return [
    ...title.map(mrkdwnMarkdown),
    words,
    ...fields.map(mrkdwnMarkdown),
    ...(from === undefined ? [] : [from]),
  ]
    .filter((each) => each.trim() !== '')
    .join('\n')
    .trim();
}

function blocksMarkdown(blocks: readonly unknown[]): string {
  return plains(blocks)
    .map(blockMarkdown)
    .filter((each) => each !== '')
    .join('\n\n');
}

function blockMarkdown(block: Plain): string {
  switch (block.type) {
    case 'rich_text':
      return richTextMarkdown(block);
    case 'markdown':
      return (text(block.text) ?? '').trim();
    case 'header':
      return words(block.text) === '' ? '' : `## ${words(block.text)}`;
    case 'section':
      return [block.text, ...plains(block.fields)].map(words).filter(Boolean).join('\n');
    case 'context':
      return plains(block.elements).map(words).filter(Boolean).join(' ');
    case 'image':
      return [words(block.title), text(block.alt_text) ?? ''].find(Boolean) ?? '';
    case 'divider':
      return '---';
    case 'table':
      return tableMarkdown(block);
    default:
      return '';
  }
}

/** Returns the text of a text object, in either of Slack's formats. */
function words(value: unknown): string {
  if (!isPlain(value)) return '';
  const written = text(value.text) ?? '';
  return (value.type === 'mrkdwn' ? mrkdwnMarkdown(written) : written).trim();
}

/** Converts a table to Markdown. Its first row becomes the header, because a Markdown table needs one. */
function tableMarkdown({ rows }: Plain): string {
  const lines = (Array.isArray(rows) ? rows : []).map((row) => plains(row).map(cellMarkdown));
  const [head, ...body] = lines;
  if (head === undefined) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function cellMarkdown(cell: Plain): string {
  const written = cell.type === 'rich_text' ? richTextMarkdown(cell) : (text(cell.text) ?? '');
  return written
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}
