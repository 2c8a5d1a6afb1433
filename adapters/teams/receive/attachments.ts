/** Reads the attachments of a message, which contain its files and its quotes. */

import { type Plain, plain, readJson, text } from '../../../src/kit/json.ts';
import type { Quote } from '../../../src/kit.ts';
import type { TeamsFile, TeamsMessage } from '../activity.ts';
import { plainOf, quotedIn, sharesFiles } from './html.ts';

const DOWNLOAD = 'application/vnd.microsoft.teams.file.download.info';
const HTML = 'text/html';
const REFERENCE = 'messageReference';
const FORWARDED = 'forwardedMessageReference';
/** Maximum length of the quote of a forwarded message, in UTF-16 units. */
const FORWARDED_UNITS = 20_000;

export function attached(
  attachments: readonly Plain[],
  entities: readonly Plain[],
): Pick<TeamsMessage, 'files' | 'hidesFiles' | 'quoted'> {
  const files = attachments.flatMap(fileOf);
  const html = htmlCopyOf(attachments);
  const references = attachments.filter(({ contentType }) => contentType === REFERENCE);
  const replies = [...entities.flatMap(quotedReply), ...references.flatMap(referenceOf)];
  const forwarded = attachments.filter(({ contentType }) => contentType === FORWARDED).flatMap(forwardOf);
  const known = attachments.flatMap(({ id }) => text(id) ?? []);
  return {
    files,
    hidesFiles: files.length === 0 && sharesFiles(html, known),
    // Teams sends the same quote in several formats, so only one format is used.
    quoted: [...(replies.length > 0 ? replies : quotedIn(html)), ...forwarded],
  };
}

/** Returns the HTML copy of the message's text. */
export function htmlCopyOf(attachments: readonly Plain[]): string {
  return attachments
    .filter(({ contentType }) => contentType === HTML)
    .flatMap(({ content }) => text(content) ?? [])
    .join('\n');
}

/**
 * Returns the file of an attachment. A pasted image has an address at the Bot Connector; any other file has a link that
 * contains a token.
 */
function fileOf({ contentType, contentUrl, name, content }: Plain): readonly TeamsFile[] {
  const type = text(contentType) ?? '';
  if (type === DOWNLOAD) {
    const { downloadUrl, fileType } = plain(content);
    const address = text(downloadUrl);
    if (address === undefined) return [];
    const shown = text(name) ?? `file.${text(fileType) ?? 'bin'}`;
    return [{ name: shown, type: 'application/octet-stream', address }];
  }
  const address = text(contentUrl);
  if (!type.startsWith('image/') || address === undefined) return [];
  return [{ name: text(name) ?? 'image', type, address }];
}

/** Returns the quote in a reply to a message (Teams SDK, "Quoted replies"). */
function quotedReply({ type, quotedReply: given }: Plain): readonly Quote[] {
  if (type !== 'quotedReply') return [];
  const { preview, senderName } = plain(given);
  return quote(preview, senderName);
}

/** Returns the quote of a referenced message, whose content is JSON (Microsoft Graph, "chatMessageAttachment"). */
function referenceOf({ content }: Plain): readonly Quote[] {
  const { messagePreview, messageSender } = parsed(content);
  return quote(messagePreview, senderName(messageSender));
}

/**
 * Returns the quote of a forwarded message. The attachment contains a whole message of another conversation as HTML
 * (Microsoft Graph, "chatMessageAttachment").
 */
function forwardOf({ content }: Plain): readonly Quote[] {
  const { originalMessageContent, originalMessageSender } = parsed(content);
  const said = plainOf((text(originalMessageContent) ?? '').slice(0, FORWARDED_UNITS));
  return quote(said, senderName(originalMessageSender));
}

function senderName(given: unknown): string | undefined {
  const { user, application, device } = plain(given);
  return [user, application, device].map((each) => text(plain(each).displayName)).find(Boolean);
}

function quote(words: unknown, author: unknown): readonly Quote[] {
  const said = text(words);
  return said === undefined ? [] : [{ author: text(author) ?? 'somebody', text: said }];
}

const parsed = (content: unknown): Plain =>
  typeof content === 'string' ? (readJson(content) ?? {}) : plain(content);
