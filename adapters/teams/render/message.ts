/** Renders one message of a reply: its text, its entities and its card. */

import {
  asWords,
  lastNotice,
  type Plain,
  parse,
  plainBlocks,
  sourcesOf,
  withAddresses,
} from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { isAnswer, suggestionsOf } from './buttons.ts';
import { answerCard, attached, type CardParts } from './card.ts';
import type { TextFormat } from './emit.ts';
import { rootEntity } from './entity.ts';
import { markedText, sourceOf, textAlone } from './part.ts';
import type { Form } from './render-context.ts';
import { label } from './runs.ts';
import { noticeWords } from './under.ts';
import { words } from './words.ts';

export type { Extent } from './part.ts';

/** Content of a message. The writer adds the sender and the conversation. */
export interface TeamsMessage {
  readonly type: 'message';
  readonly text: string;
  readonly textFormat: TextFormat | 'plain';
  readonly entities: readonly Plain[];
  readonly attachments: readonly Plain[];
  readonly channelData?: Plain;
  readonly suggestedActions?: Plain;
}

export const bareMessage = (text: string, textFormat: TeamsMessage['textFormat']): TeamsMessage => ({
  type: 'message',
  text,
  textFormat,
  entities: [],
  attachments: [],
});

/** Maximum UTF-16 units of a message's text. The card and the citations may use the rest of the message's 80 KB. */
export const PART_CHARS = 11_000;
/**
 * Maximum size of a message as JSON, in UTF-16 units (80 KB). Teams accepts 100 KB; the difference is for fields that
 * the writer adds.
 */
export const MESSAGE_UNITS = 40_000;
/** UTF-16 units that are reserved for buttons, enough for the longest suggestions. */
const CARD_UNITS = 9_000;
/** Limits for `answerCard`, tried in order until the message fits. */
const TRIED_UNITS = [28_000, 20_000, 14_000, 8_000, 4_000, 0];
/** Maximum characters of the sentence shown when an answer has no text. */
const SENTENCE_CHARS = 1_000;

interface Parts extends CardParts {
  readonly form: Form;
}

/** Renders a message for a post or an edit. */
export const messageOf = (parts: Parts): TeamsMessage => messageWith(textOf(parts), parts);

export function textOf(parts: Parts): string {
  const { document, extent, form } = parts;
  // A message that has no card shows the notices in its text.
  const notices = extent.to === undefined && isFinal(document) ? document.notices.map(noticeWords) : [];
  if (form === 'plain') {
    const plain = plainBlocks(withAddresses(parse(sourceOf(parts))), '\n\n').trim();
    return plain === '' ? sentence(document) : [plain, ...notices].join('\n\n');
  }
  const text = form === 'rich' ? markedText(parts) : textAlone(parts);
  if (text.trim() === '') return asWords(sentence(document));
  return form === 'rich' ? text : [text, ...notices.map(asWords)].join('\n\n');
}

/**
 * Returns the message with its card; without a card if even the smallest card does not fit.
 * @param text from `textOf`; for the message that closes a stream, the text that the stream already shows
 */
export function messageWith(text: string, parts: Parts): TeamsMessage {
  const { form } = parts;
  if (form === 'plain') return bareMessage(text, 'plain');
  const bare = withCitations(text, parts);
  if (form === 'simple') return { ...bare, ...suggested(parts) };
  for (const units of TRIED_UNITS) {
    const content = answerCard(parts, units);
    if (content === undefined) break;
    const message = { ...bare, attachments: [attached(content)] };
    if (unitsOf(message) <= MESSAGE_UNITS) return message;
  }
  return { ...bare, ...suggested(parts) };
}

/** Returns the message with its citations; without them if text and citations together are too large. */
function withCitations(text: string, parts: Parts): TeamsMessage {
  const message = withEntity(text, parts);
  const { document } = parts;
  const isTooMuch = unitsOf(message) > MESSAGE_UNITS - CARD_UNITS;
  return isTooMuch ? withEntity(text, { ...parts, document: { ...document, sources: [] } }) : message;
}

/** Returns the size of a message in UTF-16 units, without the fields that the writer adds. */
export const unitsOf = (message: object): number => JSON.stringify(message).length;

function withEntity(text: string, { document, extent, context }: Parts): TeamsMessage {
  const { state } = document;
  const answers = isAnswer(document) && document.text.trim() !== '';
  // Teams ignores feedback buttons that are requested only by an edit, so the first post already requests them.
  const isJudged =
    state === 'done' || state === 'partial' ? answers : !isFinal(document) && isAnswer(document);
  const judged = isJudged && extent.to === undefined;
  const sources = sourcesOf(document, { linkOf: context.linkOf });
  return {
    ...bareMessage(text, context.format),
    entities: answers ? [rootEntity(text, sources, context.isPrivate)] : [],
    ...(judged && { channelData: { feedbackLoop: { type: 'custom' } } }),
  };
}

/**
 * Maximum suggested actions. Teams shows them only in one-to-one chats, and never together with a card (Teams
 * documentation).
 */
const MAX_SUGGESTED = 3;
const TITLE_CHARS = 60;

function suggested({ document, extent, context }: Parts): Pick<TeamsMessage, 'suggestedActions'> {
  if (context.reply.kind !== 'direct' || !isFinal(document) || extent.to !== undefined) return {};
  const actions = suggestionsOf(document)
    .slice(0, MAX_SUGGESTED)
    .map((text) => ({ type: 'imBack', title: label(text, TITLE_CHARS, '…'), value: text }));
  return actions.length === 0 ? {} : { suggestedActions: { to: [], actions } };
}

/** Returns the sentence to show in a message that has no text. */
function sentence(document: ReplyDocument): string {
  if (!isFinal(document)) return document.meanwhile ?? words.thinking;
  return label(lastNotice(document)?.text ?? '', SENTENCE_CHARS, words.noText);
}
