/** Reads the attachments of a message: its files, and what people see but Teams does not send. */

import { type Plain, plain, readJson, text } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { TeamsFile } from '../activity.ts';
import { described, type Written } from './html.ts';

export const HTML = 'text/html';
export const REFERENCE = 'messageReference';
export const FORWARDED = 'forwardedMessageReference';
const DOWNLOAD = 'application/vnd.microsoft.teams.file.download.info';
/** Name of a file whose name Teams does not send. */
const UNNAMED = 'without a name';

/** Returns the content of an attachment, which Microsoft Graph sends as JSON text. */
export const parsed = (content: unknown): Plain =>
  typeof content === 'string' ? (readJson(content) ?? {}) : plain(content);

/** True for a card of any kind. */
export function isCard({ contentType, content }: Plain): boolean {
  const isOther = [DOWNLOAD, REFERENCE, FORWARDED].some((type) => type === contentType);
  return !isOther && Object.keys(parsed(content)).length > 0;
}

/**
 * Returns the file of an attachment. A pasted image has an address at the Bot Connector; any other file has a link that
 * contains a token. Teams does not send the address of every file (microsoft/botbuilder-js#4723).
 */
export function fileOf(attachment: Plain): readonly TeamsFile[] {
  const { contentType, contentUrl, content } = attachment;
  const type = text(contentType) ?? '';
  if (type.startsWith('image/'))
    return [{ name: text(attachment.name) ?? 'image', type, ...defined({ address: text(contentUrl) }) }];
  const name = nameOf(attachment);
  if (type === DOWNLOAD) {
    const address = text(plain(content).downloadUrl);
    return [{ name: name ?? UNNAMED, type: 'application/octet-stream', ...defined({ address }) }];
  }
  const isOther =
    type === REFERENCE || type === FORWARDED || isCard(attachment) || kindOf(type) !== undefined;
  return isOther || name === undefined ? [] : [{ name, type }];
}

function nameOf({ name, contentUrl, content }: Plain): string | undefined {
  const type = text(plain(content).fileType);
  const [, inAddress] = FILE_NAME.exec((text(contentUrl) ?? '').slice(0, 2_000)) ?? [];
  return text(name) ?? inAddress ?? (type && `file.${type}`);
}

const FILE_NAME = /([^/?#]{1,200}\.\w{1,8})(?:[?#]|$)/;

/**
 * Returns the files that people see in the message and for which there is no attachment: outside of one-to-one chats, and
 * from some phones (microsoft/botbuilder-dotnet#6812).
 */
export function unsentFiles({ placed }: Written, others: readonly Plain[]): readonly TeamsFile[] {
  const ids = others.map(({ id, content }) => text(id) ?? text(parsed(content).uniqueId));
  const known = new Set(ids.map((id) => id?.toLowerCase()));
  const withoutId = others.filter((each, at) => ids[at] === undefined && !isImage(each));
  return [...placed]
    .filter(([id]) => !known.has(id))
    .slice(withoutId.length)
    .map(([, label]) => ({ name: label || UNNAMED, type: '' }));
}

const isImage = ({ contentType }: Plain): boolean => text(contentType)?.startsWith('image/') === true;

/** Describes the pictures and cards that people see and for which there is no attachment. */
export function unsentParts(
  { pictures, extensions }: Written,
  others: readonly Plain[],
  cards: number,
): readonly string[] {
  return [
    ...(pictures > others.filter(isImage).length ? ['a picture'] : []),
    ...(extensions > cards ? ['a card or a voice message'] : []),
  ];
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/card\.audio$|^audio\/|activity\.voice/i, 'audio recording'],
  [/card\.video$|^video\//i, 'video'],
  [/card\.animation$/i, 'animation'],
  [/card\.fluidEmbedCard$/i, 'Loop component'],
  [/card\.codesnippet$/i, 'code snippet'],
];

const kindOf = (type: string): string | undefined => KINDS.find(([types]) => types.test(type))?.[1];

/** Describes what an attachment contains besides words. */
export function mediaOf({ contentType, name, content }: Plain): readonly string[] {
  const kind = kindOf(text(contentType) ?? '');
  const { title, name: own, componentUrl } = parsed(content);
  const label = [name, own, title, componentUrl].map(text).find((each) => each !== undefined);
  return kind === undefined ? [] : [described(kind, label)];
}
