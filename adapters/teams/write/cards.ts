/**
 * The cards under the messages of a reply: their content, the calls that send them, and the screen after those calls.
 * Pure.
 */

import { LRUCache } from 'lru-cache';
import { hashOf, type LadderView, lostNow } from '../../../src/kit/ladder.ts';
import { isFinal, type Move, type Outcome, type ReplyDocument } from '../../../src/kit.ts';
import { type Extent, messageWith } from '../render/message.ts';
import type { RenderContext } from '../render/render-context.ts';
import { MESSAGE } from './outcomes.ts';
import { type Card, type Of, type SideCall, type TeamsPart, type TeamsScreen, withCards } from './screen.ts';

/**
 * After this many consecutive edits of a card, each with an unknown outcome, the card is posted again if the reply has
 * ended.
 */
const MAX_EDITS = 5;
/** Maximum number of cards whose hash is cached. */
const MARKS = 32;

type View = LadderView<TeamsScreen>;

export type Cards = ReturnType<typeof createCards>;

/**
 * Returns functions that choose the next card to send.
 * @param context the context for rendering, without the addresses of images; these are looked up when a card is sent
 */
export function createCards(context: RenderContext) {
  const marks = new LRUCache<string, { readonly mark: number | undefined }>({ max: MARKS });
  const made = (document: ReplyDocument, part: TeamsPart, to: number | undefined): number | undefined => {
    const extent = cardExtent(document, part, to);
    const { attachments } = messageWith('', { document, extent, context, form: 'rich' });
    return attachments.length === 0 ? undefined : hashOf(JSON.stringify(attachments));
  };
  /**
   * Returns the hash of the card's content; undefined if the part needs no card. Caches the hash, except for the last
   * part of a running reply, whose card shows progress.
   */
  const markOf = (document: ReplyDocument, part: TeamsPart, to: number | undefined): number | undefined => {
    // The person has stopped the stream, so this reply needs no card with a Stop button any more.
    const isStopping = part.stopped !== undefined && !isFinal(document);
    if (part.form !== 'rich' || part.to === part.from || isStopping) return undefined;
    const ends = isFinal(document) ? document.version : to === undefined ? undefined : document.rewrites;
    if (ends === undefined) return made(document, part, to);
    const key = JSON.stringify([part.from, to, document.state, ends]);
    const known = marks.get(key) ?? { mark: made(document, part, to) };
    marks.set(key, known);
    return known.mark;
  };
  /** Returns the call that sends or edits the card of this part; undefined if the card is up to date. */
  const of = ({ screen, document }: View, index: number): Move | undefined => {
    const part = screen.parts[index];
    if (part === undefined || part.live) return undefined;
    const { card } = part;
    const isLast = index === screen.parts.length - 1;
    const to = isLast && part.onward === undefined ? undefined : part.to;
    const mark = markOf(document, part, to);
    const final = isFinal(document);
    if (mark === undefined) return card?.id === undefined ? undefined : uncard(document, card.id, final);
    if (!isOutdated(part, mark, final)) return undefined;
    const ids = { ...(card?.id !== undefined && { id: card.id }), ...(to !== undefined && { to }) };
    // While the answer grows, edits of its card belong to a rate-limit family of their own, which gives way to all
    // other calls.
    const family = final || to !== undefined ? 'activity' : 'card';
    return moveOf(family, final, { kind: 'card', screen, document, index, part, mark, ...ids });
  };
  return {
    of,
    /** Returns the call that sends or edits the first card that is out of date. */
    next(view: View): Move | undefined {
      for (const index of view.screen.parts.keys()) {
        const found = of(view, index);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function isOutdated({ card }: TeamsPart, mark: number, final: boolean): boolean {
  if (card === undefined) return true;
  if (card.left) return false;
  if (card.doubted) return final;
  return card.id !== undefined && (!card.sure || card.mark !== mark);
}

export function moveOf(family: string, essential: boolean, call: SideCall): Move {
  return { family, essential, call };
}

export const uncard = (document: ReplyDocument, id: string, essential: boolean): Move =>
  moveOf('activity', essential, { kind: 'uncard', document, id });

/**
 * Returns the part of the text whose tables the card shows. The part is empty for the last message of a running reply,
 * because its card shows only progress.
 */
export function cardExtent(
  document: ReplyDocument,
  { begin }: Pick<TeamsPart, 'begin'>,
  to: number | undefined,
): Extent {
  if (to !== undefined) return { begin, to };
  return { begin: isFinal(document) ? begin : { at: document.text.length, fresh: true } };
}

const withPart = (screen: TeamsScreen, index: number, part: TeamsPart): TeamsScreen =>
  withCards(screen, screen.parts.with(index, part));

/** Records the result of looking up a card. A card that was not found is sent once more, at the end of the reply. */
export function cardFound(screen: TeamsScreen, index: number, id: string | undefined): TeamsScreen {
  const part = screen.parts[index];
  if (part === undefined) return screen;
  const unknown = { mark: 0, failures: 0 };
  const card: Card =
    id === undefined ? { ...unknown, sure: true, doubted: true } : { ...unknown, id, sure: false };
  return withPart(screen, index, { ...part, card });
}

export function cardAfter(screen: TeamsScreen, call: Of<'card'>, outcome: Outcome, now: number): TeamsScreen {
  const { document, index, part, mark } = call;
  const put = (card: Card): TeamsScreen => withPart(screen, index, { ...part, card });
  if (outcome.kind === 'refused') return refused(screen, call, outcome);
  const id = call.id ?? (outcome.kind === 'done' ? outcome.id : undefined);
  if (id === undefined) {
    if (part.card?.doubted) return put({ ...part.card, left: true });
    const lost = { begin: part.begin, says: false, card: index };
    return { ...screen, lost: lostNow(lost, now) };
  }
  if (outcome.kind === 'done') return put({ id, mark, sure: true, failures: 0 });
  const { card, ...rest } = part;
  const failures = (card?.failures ?? 0) + 1;
  if (failures >= MAX_EDITS && isFinal(document)) return withPart(screen, index, rest);
  return put({ id, mark: card?.mark ?? 0, sure: false, failures });
}

function refused(
  screen: TeamsScreen,
  { index, part }: Of<'card'>,
  { detail }: Extract<Outcome, { kind: 'refused' }>,
): TeamsScreen {
  // A person deleted the card, so do not send it again.
  if (detail === MESSAGE && part.card !== undefined)
    return withPart(screen, index, { ...part, card: { ...part.card, left: true } });
  // Change to the form `simple`, which has no card, so that the text shows the content.
  return withPart({ ...screen, form: 'simple' }, index, { ...part, form: 'simple', sure: false });
}

/**
 * Returns the first message that was given up and whose text the next message shows. It is deleted, so that no text is
 * visible twice.
 */
export function repeatedPart({ parts }: TeamsScreen): TeamsPart | undefined {
  return parts.find(({ left, stopped, from, to }, index) => {
    const next = parts[index + 1];
    return left && stopped === undefined && to === from && next?.from === from && next.shown !== undefined;
  });
}

/**
 * Records the outcome of deleting a card or a repeated message. After a refusal, it counts as deleted; after an unknown
 * outcome, it stays recorded.
 */
export function uncardAfter(screen: TeamsScreen, { id }: Of<'uncard'>, outcome: Outcome): TeamsScreen {
  if (outcome.kind === 'unknown') return screen;
  const orphans = screen.orphans?.filter((each) => each !== id);
  const parts = screen.parts
    .filter((part) => part.id !== id)
    .map((part) => (part.card?.id === id ? withoutCard(part) : part));
  return withCards({ ...screen, ...(orphans !== undefined && { orphans }) }, parts);
}

export function withoutCard({ card: _, ...part }: TeamsPart): TeamsPart {
  return part;
}

/**
 * Returns the screen after a message's text was deleted. If the conversation still exists, the reply's cards are
 * recorded as `orphans`, so that they are deleted next.
 */
export function goneFrom({ form, chars, beside }: TeamsScreen, detail: string | undefined): TeamsScreen {
  const gone = { rung: 'edits', parts: [], finished: true, gone: true, form, chars } as const;
  return detail === MESSAGE && beside !== undefined ? { ...gone, orphans: beside } : gone;
}
