/**
 * Shows an answer's sources, page by page. The sources replace the answer's card, but only for the person who pressed.
 */

import { type Begin, isPlain, onwardAt, refused, START, sourcesOf } from '../../../src/kit/ladder.ts';
import { openReply, type ReplyDocument } from '../../../src/kit.ts';
import { BACK } from '../render/buttons.ts';
import { emitterOf } from '../render/emit.ts';
import { messageOf } from '../render/message.ts';
import { sourcesCard } from '../render/sources-card.ts';
import type { PressAnswer } from './deps.ts';
import { linksOf, type ReplyPress, renderContextOfReply } from './press.ts';
import { words } from './words.ts';

export async function pressSources(pressed: ReplyPress): Promise<PressAnswer> {
  const opened = await openReply(pressed.press, pressed.context);
  if (opened.kind === 'refused') return opened;
  const { reply, detail } = pressed.read;
  if (detail === BACK) return answerCardOf(pressed, opened.reply);
  const sources = sourcesOf(opened.reply, { linkOf: linksOf(pressed) });
  if (sources.length === 0) return { kind: 'idle', sentence: words.noSources };
  const page = Number(detail);
  return { kind: 'card', card: sourcesCard(sources, reply, Number.isSafeInteger(page) ? page : 0) };
}

const FIRST: Begin = { at: 0, fresh: true };

/**
 * Returns the offset in the answer's text at which the last message begins. The button's data contains the offset,
 * except if the offset is 0, or if an earlier version of the bridge made the button. In these cases, the offset is read
 * from the store.
 */
async function beginOf(
  { deps, place, message, read }: ReplyPress,
  document: ReplyDocument,
): Promise<Begin | undefined> {
  const { at } = read.reply;
  if (at !== undefined) {
    const isInside = Number.isSafeInteger(at) && at > 0 && at <= document.text.length;
    const emitter = emitterOf(deps.renderInputs.format);
    return isInside ? onwardAt(START, document, at, { emitter }) : undefined;
  }
  const known = await deps.replies.find(place, message);
  return known?.begin ?? FIRST;
}

/** Returns the card of the answer, which then replaces the card of sources or the share form. */
async function answerCardOf(pressed: ReplyPress, document: ReplyDocument): Promise<PressAnswer> {
  const begin = await beginOf(pressed, document);
  if (begin === undefined) return refused(words.stale);
  const context = await renderContextOfReply(pressed, document);
  const [attachment] = messageOf({ document, extent: { begin }, context, form: 'rich' }).attachments;
  const card = attachment?.content;
  return isPlain(card) ? { kind: 'card', card } : refused(words.stale);
}
