/** Creates the writer for channels, such as the console, that show a reply as one message with the whole document. */

import type { ReplyWriter } from '../core/channel/adapter.ts';
import { isFinal, type ReplyDocument } from '../core/reply.ts';
import type { Move, Outcome, Part, Screen } from '../core/screen.ts';

export interface DocumentEdit {
  readonly id: string;
  /** Offset up to which the message certainly shows the text already. */
  readonly at: number;
  /** The text from the offset `at` on. */
  readonly text: string;
  readonly document: ReplyDocument;
}

/** The functions with which a channel writes the one message that shows a reply. */
interface DocumentSurface {
  /** Rate-limit family of all calls. If absent, each kind of call has its own: `post`, `edit`, `remove`. */
  readonly family?: string;
  /**
   * Creates the message, and returns its id in the outcome. If an earlier process already created a message for this
   * turn, changes that message. Must end when the signal aborts; the same applies to `edit` and `remove`.
   */
  post(document: ReplyDocument, signal: AbortSignal): Outcome | Promise<Outcome>;
  edit(edit: DocumentEdit, signal: AbortSignal): Outcome | Promise<Outcome>;
  /**
   * Removes the message with this id. If there is no id, removes the message that was posted for the turn. Absent if
   * the channel cannot remove messages.
   */
  remove?(id: string | undefined, signal: AbortSignal): Outcome | Promise<Outcome>;
}

type Call =
  | { readonly kind: 'post'; readonly document: ReplyDocument }
  | ({ readonly kind: 'edit' } & DocumentEdit)
  | { readonly kind: 'remove'; readonly id?: string; readonly document: ReplyDocument };

const BLANK: Screen = { rung: 'edits', parts: [], finished: false };
const GONE: Screen = { ...BLANK, finished: true };

/**
 * Returns the writer for a chat in which a message can show a whole reply and can always be edited.
 * @example
 * ```ts
 * documentWriter({
 *   family: 'message',
 *   post: ({ text }, signal) => chat.post(thread.room, plainText(text), signal),
 *   edit: ({ id, document: { text } }, signal) => chat.edit(id, plainText(text), signal),
 * });
 * ```
 */
export function documentWriter(surface: DocumentSurface): ReplyWriter {
  return {
    blank: () => BLANK,
    next(screen, document) {
      const call = nextCall(screen, document, surface);
      if (call === undefined) return [];
      const { family = call.kind } = surface;
      return [{ family, essential: call.kind !== 'edit' || isFinal(document), call }];
    },
    after: (screen, move, outcome, now) => screenAfter(screen, callOf(move), outcome, now),
    async perform(move, signal) {
      signal.throwIfAborted();
      const call = callOf(move);
      if (call.kind === 'post') return surface.post(call.document, signal);
      if (call.kind === 'edit') return surface.edit(call, signal);
      return surface.remove?.(call.id, signal) ?? { kind: 'done' };
    },
    resume: ({ parts, ...screen }) => ({
      ...screen,
      finished: false,
      parts: parts.map((part) => ({ ...part, sure: false })),
    }),
  };
}

function nextCall(
  { parts: [part], finished }: Screen,
  document: ReplyDocument,
  surface: DocumentSurface,
): Call | undefined {
  if (part === undefined && finished) return undefined;
  if (document.state === 'withdrawn')
    return surface.remove && { kind: 'remove', ...(part && { id: part.id }), document };
  if (part === undefined) return { kind: 'post', document };
  if (part.sure && part.shown?.version === document.version) return undefined;
  const at = standing(part, document);
  return { kind: 'edit', id: part.id, at, text: document.text.slice(at), document };
}

/** Returns the length of the document's text that the message certainly shows. */
function standing({ sure, shown }: Part, { rewrites, text }: ReplyDocument): number {
  return sure && shown?.rewrites === rewrites && shown.length <= text.length ? shown.length : 0;
}

function screenAfter(screen: Screen, call: Call, outcome: Outcome, now: number): Screen {
  const [part] = screen.parts;
  if (outcome.kind === 'refused') return outcome.why === 'gone' ? GONE : screen;
  if (outcome.kind === 'unknown') {
    const isEdited = part !== undefined && call.kind !== 'remove';
    return isEdited ? { ...screen, parts: [{ ...part, sure: false }] } : screen;
  }
  if (call.kind === 'remove') return GONE;
  const id = call.kind === 'edit' ? call.id : outcome.id;
  if (id === undefined) return screen;
  const { version, rewrites, text } = call.document;
  const opened = part ?? { id, from: 0, live: false, openedAt: now };
  const extent = { version, rewrites, length: text.length };
  return {
    ...screen,
    parts: [{ ...opened, sure: true, shown: extent }],
    finished: isFinal(call.document),
  };
}

/** This cast is safe, because the core passes a writer only the calls that this writer created. */
const callOf = ({ call }: Move): Call => call as Call;
