/** What came along with a message: files, and what it quotes. */

import { type Plain, plain, text } from '../../../src/kit/json.ts';
import type { Quoted, TeamsFile, TeamsMessage } from './activity.ts';
import { quotedIn, sharesFiles } from './html.ts';

const DOWNLOAD = 'application/vnd.microsoft.teams.file.download.info';
const HTML = 'text/html';
const REFERENCE = 'messageReference';

export function attached(
  attachments: readonly Plain[],
  entities: readonly Plain[],
): Pick<TeamsMessage, 'files' | 'hidesFiles' | 'quoted'> {
  const files = attachments.flatMap(fileOf);
  const html = attachments
    .filter(({ contentType }) => contentType === HTML)
    .flatMap(({ content }) => text(content) ?? [])
    .join('\n');
  const references = attachments.filter(({ contentType }) => contentType === REFERENCE);
  const quoted = [...entities.flatMap(quotedReply), ...references.flatMap(referenceOf)];
  const known = attachments.flatMap(({ id }) => text(id) ?? []);
  return {
    files,
    hidesFiles: files.length === 0 && sharesFiles(html, known),
    // The same quote comes in several forms.
    quoted: quoted.length > 0 ? quoted : quotedIn(html),
  };
}

/** Pasted images lie behind an address of the Bot Connector, shared files behind a link that carries its own right. */
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

/** Teams SDK, "Quoted replies". */
function quotedReply({ type, quotedReply: given }: Plain): readonly Quoted[] {
  if (type !== 'quotedReply') return [];
  const { preview, senderName, messageId } = plain(given);
  return quote(preview, senderName, messageId);
}

/** Microsoft Graph, "chatMessageAttachment": the content is JSON in a text. */
function referenceOf({ content }: Plain): readonly Quoted[] {
  const { messagePreview, messageSender, messageId } = parsed(content);
  const sender = plain(messageSender);
  const who = [sender.user, sender.application, sender.device].map((each) => text(plain(each).displayName));
  return quote(
    messagePreview,
    who.find((name) => name !== undefined),
    messageId,
  );
}

function quote(words: unknown, author: unknown, message: unknown): readonly Quoted[] {
  const said = text(words);
  const id = text(message);
  if (said === undefined) return [];
  return [{ author: text(author) ?? 'somebody', text: said, ...(id !== undefined && { message: id }) }];
}

function parsed(content: unknown): Plain {
  if (typeof content !== 'string') return plain(content);
  try {
    return plain(JSON.parse(content));
  } catch {
    return {};
  }
}
