/** Creates the writer for chats that keep what they showed, such as IRC, SMS and mail. */

import type { ReplyWriter } from '../core/channel/adapter.ts';
import { isFinal, type ReplyDocument } from '../core/reply.ts';
import type { Move, Outcome, Screen } from '../core/screen.ts';
import type { Turn } from '../core/turn.ts';
import { hashOf } from '../reply/ladder/part.ts';
import { asWords, createEmitter } from './emission.ts';
import { UNCHANGED } from './message-writer.ts';
import { lineInPlace, linesBelow } from './reply-lines.ts';
import type { LinkOf } from './sources.ts';

/** A chat whose messages cannot be changed once they are sent. */
export interface LineSurface {
  readonly turn: Turn;
  /** Rate-limit family of the calls; `send` if absent. */
  readonly family?: string;
  /** Returns the address under which people open a source, usually with `host.sourceLink`. */
  readonly linkOf?: LinkOf;
  /**
   * Splits Markdown into the lines of the chat, for example with `plainLines`. Pure: the same text has the same lines
   * after a restart. Lines must not be blank.
   */
  split(markdown: string): readonly string[];
  /** Sends one line and resolves with the outcome. Must end when the signal aborts. */
  send(line: string, signal: AbortSignal): Outcome | Promise<Outcome>;
}

/** The state of a reply in the chat. It is stored, so it contains no text, and its property names must not change. */
interface LineScreen extends Screen {
  /** Offset up to which all lines of the answer were sent. */
  readonly at: number;
  /** Hash of the answer's text up to `at`, to detect another text. */
  readonly hash: number;
  /** The lines after `at` that were sent, and where the passage with these lines ends. */
  readonly open?: { readonly to: number; readonly hash: number; readonly lines: number };
  /** Hashes of the sent lines that do not belong to the answer's text. */
  readonly others: readonly number[];
  /** Set if the chat no longer lets the app write in the room. */
  readonly gone?: true;
}

/** A line to send, and the screen once it is sent. */
interface Call {
  readonly line: string;
  readonly document: ReplyDocument;
  readonly sent: Pick<LineScreen, 'at' | 'hash' | 'open' | 'others'>;
}

const BLANK: LineScreen = { rung: 'once', parts: [], finished: false, at: 0, hash: hashOf(''), others: [] };
const CHANGED = 'The answer has changed. The new answer:';
const emitter = createEmitter(UNCHANGED);

/**
 * Sends each block of an answer once further text cannot change it, line by line. What is below the answer follows, and
 * so does each source that arrives later. A process that takes over sends exactly the next line.
 * @example
 * ```ts
 * const writer = lineWriter({
 *   turn,
 *   split: (markdown) => plainLines(markdown, 400, Buffer.byteLength),
 *   send: (line, signal) => chat.post(thread.room, line, signal),
 * });
 * const telling = withEvents(turn, writer, [presses], host.clock);
 * ```
 */
export function lineWriter(surface: LineSurface): ReplyWriter {
  const { turn, family = 'send' } = surface;
  const next = (screen: LineScreen, document: ReplyDocument): readonly Move[] => {
    const call = nextCall(screen, document, surface);
    return call === undefined ? [] : [{ family, essential: isFinal(document), call }];
  };
  return {
    ends: { [family]: 1 },
    blank: () => BLANK,
    next: (screen, document) => next(own(screen), document),
    perform: async (move, signal) => surface.send(callOf(move).line, signal),
    after(screen, move, outcome, now) {
      if (outcome.kind === 'refused' && outcome.why === 'gone') return gone(screen);
      if (outcome.kind !== 'done') return screen;
      const { document, sent } = callOf(move);
      const { open: _, ...rest } = own(screen);
      const [first = { id: outcome.id ?? turn.id, from: 0, live: false, openedAt: now, sure: true }] =
        rest.parts;
      const { version, rewrites } = document;
      const part = { ...first, shown: { version, rewrites, length: sent.open?.to ?? sent.at } };
      const after = { ...rest, ...sent, posts: (rest.posts ?? 0) + 1, parts: [part] };
      return { ...after, finished: isFinal(document) && next(after, document).length === 0 };
    },
    resume: (screen) => ({
      ...BLANK,
      ...screen,
      finished: false,
      parts: screen.parts.map((part) => ({ ...part, sure: false })),
    }),
  };
}

const gone = (screen: Screen): LineScreen => ({ ...own(screen), finished: true, gone: true });

function nextCall(screen: LineScreen, document: ReplyDocument, surface: LineSurface): Call | undefined {
  if (document.state === 'withdrawn' || screen.gone) return undefined;
  return textCall(screen, document, surface) ?? otherCall(screen, document, surface);
}

/** Returns the next line of the answer's text; undefined while its next block may still change. */
function textCall(screen: LineScreen, document: ReplyDocument, { split }: LineSurface): Call | undefined {
  const { text } = document;
  const { at, hash, open, others } = screen;
  const ended = isFinal(document);
  if (!stands(screen, document)) {
    // Text that was replaced may be replaced again, so the new text is sent when it is complete.
    const sent = { at: 0, hash: hashOf(''), others: [] };
    return ended ? { line: CHANGED, document, sent } : undefined;
  }
  const to = open?.to ?? (ended ? text.length : emitter.settledEdge(text, { at, fresh: true })?.at);
  if (to === undefined || to <= at) return undefined;
  const lines = split(text.slice(at, to));
  const count = open?.lines ?? 0;
  const line = lines[count];
  if (line === undefined) return undefined;
  const toHash = hashOf(text.slice(0, to));
  const isLast = count + 1 === lines.length;
  const sent = isLast
    ? { at: to, hash: toHash, others }
    : { at, hash, others, open: { to, hash: toHash, lines: count + 1 } };
  return { line, document, sent };
}

/** True if the sent text is still a part of the answer. Compares hashes, because screens store no text. */
function stands({ parts: [part], at, hash, open }: LineScreen, { text, rewrites }: ReplyDocument): boolean {
  if (part === undefined || (part.shown?.rewrites === rewrites && part.sure)) return true;
  const [to, due] = open === undefined ? [at, hash] : [open.to, open.hash];
  return to <= text.length && hashOf(text.slice(0, to)) === due;
}

/** Returns the next line that does not belong to the answer's text, such as a notice or a source. */
function otherCall(
  { at, hash, others }: LineScreen,
  document: ReplyDocument,
  { split, linkOf }: LineSurface,
): Call | undefined {
  const lines = otherLines(document, linkOf).flatMap(split);
  const line = lines.find((each) => !others.includes(hashOf(each)));
  return line === undefined
    ? undefined
    : { line, document, sent: { at, hash, others: [...others, hashOf(line)] } };
}

function otherLines(document: ReplyDocument, linkOf: LinkOf | undefined): readonly string[] {
  const { suggestions, retry, text, meanwhile, postponed } = document;
  if (!isFinal(document)) return postponed && meanwhile !== undefined ? [meanwhile] : [];
  const { notices, files, sources } = linesBelow(document, linkOf);
  const questions = suggestions.map((each, at) => `${at + 1}. ${asWords(each)}`);
  return [
    ...(text.trim() === '' && notices.length === 0 ? [lineInPlace(document)] : []),
    ...notices,
    ...(retry ? ['To ask again, send `retry`.'] : []),
    ...(questions.length > 0 ? ['To ask one of these questions, send its number:', ...questions] : []),
    ...files,
    ...sources,
  ];
}

/** These casts are safe, because the core passes a writer only the screens and calls that this writer created. */
const own = (screen: Screen): LineScreen => screen as LineScreen;
const callOf = ({ call }: Move): Call => call as Call;
