import {
  isFinal,
  type Move,
  type Outcome,
  type Part,
  type ReplyDocument,
  type ReplyWriter,
  type Screen,
} from '../../src/kit.ts';
import type { Chat } from './chat/chat.ts';
import type { ReplyPlace } from './chat/reply-record.ts';

/** A reply is one console message, made by `post` (repeatable: one per turn) and changed by `edit`. */
type Call =
  /** The question was deleted. Without an id: whatever was posted for the turn. */
  | { readonly kind: 'remove'; readonly id?: string; readonly document: ReplyDocument }
  | { readonly kind: 'post'; readonly document: ReplyDocument }
  | {
      readonly kind: 'edit';
      readonly id: string;
      readonly at: number;
      readonly text: string;
      readonly document: ReplyDocument;
    };

/** The reply was removed: nothing is shown of it any more. */
const GONE: Screen = { rung: 'edits', parts: [], finished: true };

export function createWriter(chat: Chat, place: ReplyPlace): ReplyWriter {
  return {
    blank: () => ({ rung: 'edits', parts: [], finished: false }),
    next: nextMove,
    after: afterMove,
    perform: async (move, signal) => {
      signal.throwIfAborted();
      return perform(chat, place, move);
    },
    resume: (screen) => ({
      ...screen,
      finished: false,
      parts: screen.parts.map((part) => ({ ...part, sure: false })),
    }),
  };
}

function nextMove(screen: Screen, document: ReplyDocument): readonly Move[] {
  const [part] = screen.parts;
  if (!part && screen.finished) return [];
  if (document.state === 'withdrawn') {
    return [move({ kind: 'remove', ...(part ? { id: part.id } : {}), document }, true)];
  }
  if (!part) return [move({ kind: 'post', document }, true)];
  if (part.sure && part.shown?.version === document.version) return [];
  const at = standing(part, document);
  const edit = { kind: 'edit', id: part.id, at, text: document.text.slice(at), document } as const;
  return [move(edit, isFinal(document))];
}

const move = (call: Call, essential: boolean): Move => ({ family: call.kind, essential, call });

/** How much of the document's text the message surely holds. */
function standing({ sure, shown }: Part, document: ReplyDocument): number {
  const grew = shown?.rewrites === document.rewrites && shown.length <= document.text.length;
  return sure && grew ? shown.length : 0;
}

function afterMove(screen: Screen, { call }: Move, outcome: Outcome, now: number): Screen {
  if (!isCall(call)) return screen;
  if (outcome.kind === 'refused') return outcome.why === 'gone' ? GONE : screen;
  if (call.kind === 'remove') return outcome.kind === 'done' ? GONE : screen;
  const [part] = screen.parts;
  if (outcome.kind === 'unknown') return part ? { ...screen, parts: [{ ...part, sure: false }] } : screen;
  const id = call.kind === 'edit' ? call.id : outcome.id;
  if (id === undefined) return screen;
  const { version, rewrites, text } = call.document;
  const shown = { version, rewrites, length: text.length };
  const opened = part ?? { id, from: 0, live: false, openedAt: now };
  return { ...screen, parts: [{ ...opened, sure: true, shown }], finished: isFinal(call.document) };
}

function perform(chat: Chat, place: ReplyPlace, { call }: Move): Outcome {
  if (!isCall(call)) return { kind: 'refused', why: 'gone' };
  if (call.kind === 'remove') {
    chat.removeReply(place, call.id);
    return { kind: 'done' };
  }
  if (call.kind === 'post') {
    const id = chat.postReply(place, call.document);
    return id === undefined ? { kind: 'refused', why: 'gone' } : { kind: 'done', id };
  }
  const edited = chat.editReply({ ...call, place });
  if (edited === 'gone') return { kind: 'refused', why: 'gone' };
  return edited === 'behind' ? { kind: 'unknown' } : { kind: 'done', id: call.id };
}

/** A move's call is opaque to the core; this writer gets back only its own. */
function isCall(call: unknown): call is Call {
  return typeof call === 'object' && call !== null && 'document' in call && 'kind' in call;
}
