/** Which cards stand under a reply's texts, and which calls put them there. Pure. */

import { hashOf } from '../../../src/kit/shown.ts';
import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import { type Extent, messageWith } from '../render/message.ts';
import { move, type Of, unhurried } from './calls.ts';
import { isDoubtful, type TeamsPart, type TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';

/** What the card under a part shows, in short; nothing where there is none to be. `to`: where its text ends. */
export function cardMark(
  document: ReplyDocument,
  part: TeamsPart,
  to: number | undefined,
  setting: Setting,
): number | undefined {
  // Who stopped the stream needs no button for it.
  const isStopping = part.stopped !== undefined && !isFinal(document);
  if (part.form !== 'rich' || part.to === part.from || isStopping) return undefined;
  const ends = isFinal(document) ? document.version : to === undefined ? undefined : document.rewrites;
  if (ends === undefined) return markOf(document, cardExtent(document, part, to), setting);
  const key = JSON.stringify([part.from, to, document.state, ends]);
  const known = setting.marks.get(key) ?? { mark: markOf(document, cardExtent(document, part, to), setting) };
  setting.marks.set(key, known);
  return known.mark;
}

function markOf(document: ReplyDocument, extent: Extent, { look }: Setting): number | undefined {
  const { attachments } = messageWith('', { document, extent, look, form: 'rich' });
  return attachments.length === 0 ? undefined : hashOf(JSON.stringify(attachments));
}

/** While it runs the card is about the running, and not about the text. */
export function cardExtent(
  { text, ...document }: ReplyDocument,
  { begin }: Pick<TeamsPart, 'begin'>,
  to: number | undefined,
): Extent {
  if (to !== undefined) return { begin, to };
  return { begin: isFinal({ text, ...document }) ? begin : { at: text.length, fresh: true } };
}

interface Standing {
  readonly screen: TeamsScreen;
  readonly document: ReplyDocument;
  readonly setting: Setting;
}

/** The first card that is not as it should be. */
export function cardMoves(standing: Standing): readonly Move[] {
  for (const index of standing.screen.parts.keys()) {
    const found = cardMove(standing, index);
    if (found !== undefined) return [found];
  }
  return [];
}

/** @param index of the part whose card it is */
export function cardMove({ screen, document, setting }: Standing, index: number): Move | undefined {
  const part = screen.parts[index];
  if (part === undefined || part.live) return undefined;
  const { card } = part;
  const isLast = index === screen.parts.length - 1;
  const to = isLast && part.onward === undefined ? undefined : part.to;
  const mark = cardMark(document, part, to, setting);
  if (mark === undefined)
    return card?.id === undefined
      ? undefined
      : move({ kind: 'uncard', document, id: card.id }, isFinal(document));
  if (!isWanting(part, mark, document)) return undefined;
  const call: Of<'card'> = {
    ...{ kind: 'card', document, index, part, mark },
    ...(card?.id !== undefined && { id: card.id }),
    ...(to !== undefined && { to }),
    ...(isDoubtful(screen) && { unconfirmed: true }),
  };
  return isFinal(document) || to !== undefined ? move(call, isFinal(document)) : unhurried(call);
}

function isWanting({ card }: TeamsPart, mark: number, document: ReplyDocument): boolean {
  if (card === undefined) return true;
  if (card.left) return false;
  if (card.doubted) return isFinal(document);
  return card.id !== undefined && (!card.sure || card.mark !== mark);
}
