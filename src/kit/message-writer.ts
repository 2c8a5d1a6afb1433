/** Creates the writer for chats that limit the length of a message and let an app edit its messages. */

import { isFinal, type ReplyDocument } from '../core/reply.ts';
import type { Outcome } from '../core/screen.ts';
import type { TellingWriter } from '../reply/events.ts';
import { Extent, hasWords } from '../reply/ladder/extent.ts';
import { createLadder } from '../reply/ladder/ladder.ts';
import {
  type Call,
  type LadderScreen,
  type Of,
  REFUSED,
  type Surface,
  type View,
} from '../reply/ladder/surface.ts';
import { mend } from '../reply/markdown/mend.ts';
import { definitionsIn, inlined } from '../reply/markdown/references.ts';
import { type Begin, createEmitter, type Dialect, ENDED, START } from './emission.ts';
import {
  afterExtra,
  type ExtraCall,
  type ExtraSurface,
  extraMoves,
  keyIn,
  type MessageScreen,
  postImage,
} from './message-extras.ts';
import { plainWithAddresses } from './plain-lines.ts';
import { type Button, buttonsOf, lineInPlace, linesBelow } from './reply-lines.ts';
import { changedMarks, type LinkOf, numbersOf, sourcesOf } from './sources.ts';
import { answerWords } from './words.ts';

/** A message of a reply, as the chat must show it. */
export interface ReplyMessage {
  /** The whole text, never blank, and at most `limit` long. */
  readonly text: string;
  /** True after the chat has refused the text with its markup. The text is then plain, and must be sent as such. */
  readonly isPlain: boolean;
  /** Buttons below the message; only the newest message of a reply has some. */
  readonly buttons: readonly Button[];
  /**
   * Unique for this message, and the same if the call is repeated: the id of the reply and the index of the message,
   * such as `t1/0`.
   */
  readonly key: string;
  /** True for the newest message of the reply. */
  readonly isLast: boolean;
  /** True if an earlier message of unknown outcome may show the same text. */
  readonly mayBeDouble: boolean;
  /** True if an earlier call may have deleted the message. If it has, `edit` resolves with the refusal `gone`. */
  readonly maybeDeleted: boolean;
  readonly document: ReplyDocument;
}

/**
 * A chat with messages that can be edited. Each function makes one call and resolves with its outcome. It must end when
 * the signal aborts.
 */
export interface MessageSurface extends ExtraSurface {
  /** Maximum size of a message's text, in the unit of `size`. */
  readonly limit: number;
  /** Returns the size of a text in the unit of `limit`; by default, its length in UTF-16 units. */
  readonly size?: (text: string) => number;
  /** The chat's form of Markdown. If absent, the chat shows plain text. */
  readonly dialect?: Dialect;
  /** Converts a text before it is sent, for example so that a name in it notifies nobody. */
  readonly finish?: (text: string, isPlain: boolean) => string;
  /** Returns the address under which people open a source, usually with `host.sourceLink`. */
  readonly linkOf?: LinkOf;
  /** True if an answer is posted only when it is complete. */
  readonly onlyComplete?: boolean;
  /** Posts a message. Its outcome contains the id that the chat gave the message. */
  post(message: ReplyMessage, signal: AbortSignal): Promise<Outcome>;
  edit(id: string, message: ReplyMessage, signal: AbortSignal): Promise<Outcome>;
}

/** Number of look-ups without a result, and of failed look-ups, after which a message is no longer sought. */
const SEARCH = { misses: 1, failures: 7, always: true };
/** Smallest limit to try after the chat has refused a text as too long, in UTF-16 units. */
const LEAST_CHARS = 200;
const REMOVED = 'This message was removed.';
/** The form of messages after the chat has refused their markup. */
const PLAIN = 'plain';
const BLANK: LadderScreen = { rung: 'edits', parts: [], finished: false, form: 'rich' };

/** Markdown that stays as it is, because it is converted to plain text later. */
export const UNCHANGED: Dialect = {
  prose: (text) => text,
  code: (text) => text,
  codeSpan: (text) => text,
  language: (name) => name,
  mark: (number) => `\\[${number}]`,
  image: (words) => words,
};

/**
 * Returns the writer for a chat whose messages have a maximum size and can be edited. A long answer is split between its
 * blocks.
 * @example
 * ```ts
 * messageWriter({
 *   turn,
 *   limit: 4_096,
 *   family: 'message',
 *   post: ({ text }, signal) => chat.post(thread.room, text, signal),
 *   edit: (id, { text }, signal) => chat.edit(id, text, signal),
 *   remove: (id, signal) => chat.remove(id, signal),
 * });
 * ```
 */
export function messageWriter(given: MessageSurface): TellingWriter {
  const writer = createLadder(given.turn, surfaceOf(given));
  let last: readonly [ReplyDocument, ReplyDocument] | undefined;
  const wholeOf = (document: ReplyDocument): ReplyDocument => {
    if (last?.[0] !== document) last = [document, withLinesBelow(document, given)];
    return last[1];
  };
  return {
    ...writer,
    next: (screen, document, now) => writer.next(screen, wholeOf(document), now),
    // A stray message of an earlier process begins after the answer's text, and here also after the lines below it.
    resume: ({ parts, ...screen }) =>
      writer.resume({
        ...screen,
        parts: parts.map((part) => (part.openedAt === 0 ? { ...part, from: Number.MAX_SAFE_INTEGER } : part)),
      }),
  };
}

const neutral = createEmitter(UNCHANGED);

/** Returns the document with the lines below the answer as a part of its text, so that they are split like the answer. */
function withLinesBelow(document: ReplyDocument, { linkOf, upload }: MessageSurface): ReplyDocument {
  if (!isFinal(document) || document.state === 'withdrawn') return document;
  const media = document.media.filter(({ kind }) => kind === 'file' || upload === undefined);
  const { notices, files, sources } = linesBelow({ ...document, media }, linkOf);
  // Without a heading, the sources would become further items of a numbered list at the end of the answer.
  const listed = sources.length === 0 ? [] : [answerWords.sources, sources.join('\n')];
  const below = [...notices, files.join('  \n'), ...listed].filter((each) => each !== '');
  if (below.length === 0) return document;
  const { text } = document;
  // The lines must not become a part of code that an interrupted answer left open.
  const { fence } = neutral.emit(text, START, ENDED).state;
  const closed = fence === undefined ? text : `${text}\n${fence.mark.repeat(fence.size)}`;
  return { ...document, text: [closed, ...below].filter((each) => each.trim() !== '').join('\n\n') };
}

function surfaceOf(given: MessageSurface): Surface {
  const { limit, size, dialect = UNCHANGED, family, onlyComplete = false } = given;
  const families = familiesOf(family);
  const { post, update } = families;
  const emitter = createEmitter(size === undefined ? dialect : { ...dialect, size });
  const extent = new Extent(emitter);
  return {
    ends: { [post]: 1 },
    families,
    needs: { stream: {}, edits: { [post]: 0, [update]: 1 }, once: { [post]: 1 } },
    emitter,
    stream: noStream,
    ...(given.find && { search: SEARCH }),
    editsAtEnd: onlyComplete,
    leastChars: LEAST_CHARS,
    blank: () => BLANK,
    resumed: (screen) => screen,
    ways({ screen, document }, begin) {
      const isFirst = screen.parts.length === 0 && !screen.hushed;
      const isEarly = document.postponed === true || !(onlyComplete || given.typing !== undefined);
      const isDue = (isFirst && isEarly) || (!onlyComplete && hasWords(emitter, document.text, begin));
      return isDue ? [{ kind: 'edits' }] : [];
    },
    cut: ({ screen, document }, message) =>
      extent.cut(document, message, Math.min(limit, screen.chars ?? limit))?.to,
    editableKey: ({ document }, part) =>
      JSON.stringify([
        ...changedMarks(document, part),
        ...(part.to === undefined ? buttonsOf(document).map(({ label }) => label) : []),
        ...(document.text === '' ? [lineInPlace(document)] : []),
      ]),
    simpler: (form) => (form === PLAIN ? undefined : PLAIN),
    ownCalls: (view: View<MessageScreen>, text) => (text.length > 0 ? [] : extraMoves(view, given)),
    afterOwn: (screen: MessageScreen, call: ExtraCall, outcome) => afterExtra(screen, call, outcome),
    afterGone: () => ({ ...BLANK, finished: true, gone: true }),
    perform: (call: Call | ExtraCall, signal) => perform(call, { ...given, emitter }, signal),
  };
}

function familiesOf(family: string | undefined): Surface['families'] {
  const [post, update, remove, find] = [
    family ?? 'post',
    family ?? 'edit',
    family ?? 'remove',
    family ?? 'find',
  ];
  return { start: post, append: post, stop: post, post, update, delete: remove, find };
}

/** The chat has no streams. The ladder calls none of these functions, because `ways` never offers a stream. */
const noStream: Surface['stream'] = {
  maxMs: 0,
  afterwards: 'late',
  appendsMeanwhile: false,
  start: (_document, begin) => ({ state: begin }),
  hasNews: () => false,
  advance: (_document, { emitted }) => emitted,
};

type Writing = MessageSurface & Pick<Surface, 'emitter'>;

async function perform(call: Call | ExtraCall, by: Writing, signal: AbortSignal): Promise<Outcome> {
  const keyOf = (index: number): string => keyIn(by.turn, index);
  const within = (message: ReplyMessage, send: () => Promise<Outcome>): Promise<Outcome> | Outcome => {
    const { size = (text: string) => text.length, limit } = by;
    return size(message.text) <= limit ? send() : { kind: 'refused', why: 'invalid', detail: REFUSED.tooBig };
  };
  switch (call.kind) {
    case 'post': {
      const message = messageOf(call, { ...call, key: keyOf(call.index) }, by);
      return within(message, () => by.post(message, signal));
    }
    case 'update': {
      const message = messageOf(call, { ...call.part, key: keyOf(call.index) }, by);
      return within(message, () => by.edit(call.part.id, message, signal));
    }
    case 'delete': {
      const { document, part } = call;
      const { id, maybeDeleted = false } = part;
      const own = { text: REMOVED, isPlain: true, buttons: [], key: keyOf(call.index), document };
      const message = { ...own, isLast: false, mayBeDouble: false, maybeDeleted };
      return by.remove?.(id, signal) ?? by.edit(id, message, signal);
    }
    case 'find': {
      const { index, lost, known } = call;
      return by.find?.({ key: keyOf(index), since: lost.since, known }, signal) ?? { kind: 'done' };
    }
    case 'typing':
      return by.typing?.(signal) ?? { kind: 'done' };
    case 'unsend':
      return by.remove?.(call.id, signal) ?? { kind: 'done' };
    case 'image':
      return postImage(call, by, signal);
    default:
      return { kind: 'refused', why: 'invalid' };
  }
}

interface Message {
  readonly begin: Begin;
  readonly form: string;
  readonly key: string;
  readonly maybeDeleted?: true;
}

function messageOf(call: Of<'post' | 'update'>, message: Message, by: Writing): ReplyMessage {
  const { document, screen, to } = call;
  const { emitter, dialect, finish = (text: string) => text } = by;
  const { begin, form, key, maybeDeleted = false } = message;
  const isPlain = form === PLAIN;
  const raw = emitter.headOf(document.text, begin) + document.text.slice(begin.at, to);
  const growing = to === undefined && !isFinal(document) ? mend(raw) : raw;
  const content =
    growing.trim() === '' ? lineInPlace(document) : inlined(growing, definitionsIn(document.text));
  const numbers = numbersOf(sourcesOf(document));
  const fresh = begin.fresh || begin.fence !== undefined;
  const written = emitter.markdown(content, { at: 0, fresh }, { ...ENDED, numbers });
  const isMarkdown = dialect !== undefined && !isPlain;
  const answer = (isMarkdown ? written : plainWithAddresses(written)).trim();
  // Markdown may show nothing, such as the mark that opens a block of code.
  const visible = answer === '' ? plainWithAddresses(lineInPlace(document)) : answer;
  const isLast = to === undefined;
  const buttons = isLast ? buttonsOf(document) : [];
  const mayBeDouble = screen.unconfirmed === true || screen.hushed === true;
  const text = finish(visible, isPlain);
  return { text, isPlain, buttons, key, isLast, mayBeDouble, maybeDeleted, document };
}
