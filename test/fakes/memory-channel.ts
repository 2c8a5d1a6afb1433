/** A small channel in memory that records the visible messages and all calls. It can refuse, lose and delay calls. */

import type {
  Abilities,
  ChannelAdapter,
  Lookup,
  ReplyWriter,
  SignIn,
} from '../../src/core/channel/adapter.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { TurnId } from '../../src/core/ids.ts';
import type { FileRef } from '../../src/core/message.ts';
import { isFinal, type ReplyDocument } from '../../src/core/reply.ts';
import type { Move, Outcome, OutcomeWhy, Part, Screen } from '../../src/core/screen.ts';
import type { Turn } from '../../src/core/turn.ts';
import { BridgeError } from '../../src/errors.ts';

/** A visible message of the app. */
export interface Seen {
  readonly id: string;
  readonly turn: TurnId;
  readonly document: ReplyDocument;
}

/** One visible change: a message posted, edited or removed. */
export interface Showing {
  readonly at: number;
  readonly process: string;
  readonly kind: 'post' | 'edit' | 'remove';
  readonly message: string;
  readonly turn: TurnId;
  readonly document: ReplyDocument;
}

export interface WaitSaid {
  readonly at: number;
  readonly turn: TurnId;
  readonly ahead: number;
}

export interface CallMade {
  readonly kind: 'post' | 'edit' | 'remove';
  readonly turn: TurnId;
  readonly document: ReplyDocument;
  /** Number of this call on the channel, from 1. */
  readonly count: number;
}

export type Fault =
  | { readonly kind: 'refuse'; readonly why: OutcomeWhy; readonly retryAfterMs?: number }
  /** The call has no effect, and its outcome is unknown. */
  | { readonly kind: 'lose' }
  /** The call takes effect, and its outcome is unknown. */
  | { readonly kind: 'blur' }
  /** The outcome is unknown, and the call takes effect after `ms` milliseconds. */
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'delay'; readonly ms: number };

export interface MemoryChannel {
  readonly showings: readonly Showing[];
  readonly waits: readonly WaitSaid[];
  /** Returns the visible messages in the order of posting. */
  messages(): readonly Seen[];
  /** Deletes a message of the app, as a person in the chat would. */
  remove(message: string): void;
  /** Returns the final state that the channel's own store contains for a turn's reply; undefined if there is none. */
  ended: (turn: TurnId) => ReplyDocument['state'] | undefined;
  /** Returns the fault to apply to a call; undefined for none. */
  fault: (call: CallMade) => Fault | undefined;
  readonly files: Map<string, Uint8Array>;
  /** Facts that the bridge must look up, because messages do not contain them. */
  lookup?: Lookup;
  /** Asks people's clients for tokens of the identity provider. */
  signIn?: SignIn;
  /** Says whether the identity provider of the channel's people accepts a person. */
  isAccepted?: NonNullable<Abilities['isAccepted']>;
  /** Returns the adapter for one process. All processes share the channel. */
  adapter(process: {
    readonly name: string;
    readonly clock: Clock;
  }): Pick<ChannelAdapter<never, never>, 'writer' | 'openFile' | 'abilities'>;
}

/** Default duration of a call, in milliseconds. The call takes effect after half of it. */
const CALL_MS = 20;

interface Call {
  readonly kind: 'post' | 'edit' | 'remove';
  readonly id?: string;
  /** If true, the call posts only if the turn has no message yet, because an earlier post may have succeeded. */
  readonly lookUp: boolean;
  readonly document: ReplyDocument;
}

export function createMemoryChannel(callMs = CALL_MS): MemoryChannel {
  const shown = new Map<string, Seen>();
  const showings: Showing[] = [];
  const waits: WaitSaid[] = [];
  let calls = 0;

  const land = (call: Call, turn: TurnId, by: { name: string; clock: Clock }): Outcome => {
    const known = call.lookUp ? [...shown.values()].find((each) => each.turn === turn)?.id : call.id;
    if (call.kind === 'edit' && (known === undefined || !shown.has(known))) {
      return { kind: 'refused', why: 'gone' };
    }
    const message = known ?? `message-${showings.length + 1}`;
    const { document } = call;
    if (call.kind === 'remove') {
      if (known === undefined || !shown.delete(known)) return { kind: 'done' };
      showings.push({ at: by.clock.now(), process: by.name, kind: 'remove', message: known, turn, document });
      return { kind: 'done' };
    }
    shown.set(message, { id: message, turn, document });
    const kind = known === undefined ? 'post' : 'edit';
    showings.push({ at: by.clock.now(), process: by.name, kind, message, turn, document });
    return { kind: 'done', id: message };
  };

  const channel: MemoryChannel = {
    showings,
    waits,
    messages: () => [...shown.values()],
    remove: (message) => void shown.delete(message),
    fault: () => undefined,
    ended: () => undefined,
    files: new Map(),
    adapter: (process) => ({
      abilities: {
        ...(channel.lookup !== undefined && { lookup: channel.lookup }),
        ...(channel.signIn !== undefined && { signIn: channel.signIn }),
        ...(channel.isAccepted !== undefined && { isAccepted: channel.isAccepted }),
        ended: (turn) => channel.ended(turn.id),
        waiting: {
          say: async (turn, ahead) => void waits.push({ at: process.clock.now(), turn: turn.id, ahead }),
        },
      },
      openFile: async (file: FileRef) => {
        const bytes = channel.files.get(file.id);
        if (bytes === undefined) throw new BridgeError('image-refused', `There is no file ${file.id}.`);
        return bytes;
      },
      writer: (turn) => ({
        ...pureWriter(turn),
        async perform(move, signal) {
          const call = callOf(move);
          calls += 1;
          const { kind, document } = call;
          const fault = channel.fault({ kind, document, turn: turn.id, count: calls });
          const ms = fault?.kind === 'delay' ? fault.ms : callMs;
          await process.clock.wait(ms / 2, signal);
          if (fault?.kind === 'refuse') {
            const { why, retryAfterMs } = fault;
            return { kind: 'refused', why, ...(retryAfterMs !== undefined && { retryAfterMs }) };
          }
          if (fault?.kind === 'lose') return { kind: 'unknown' };
          const doing = () =>
            land(call, turn.origin.kind === 'show' ? (turn.reply ?? turn.id) : turn.id, process);
          if (fault?.kind === 'late') {
            void process.clock.wait(fault.ms).then(doing);
            return { kind: 'unknown' };
          }
          const outcome = doing();
          await process.clock.wait(ms / 2, signal);
          return fault?.kind === 'blur' ? { kind: 'unknown' } : outcome;
        },
      }),
    }),
  };
  return channel;
}

/** Id of a message while the outcome of its post is unknown. */
const UNKNOWN_ID = '';

/** Returns a writer with one message per reply. Each edit replaces the whole text, so it may be repeated. */
export function pureWriter(turn: Turn): Omit<ReplyWriter, 'perform'> {
  return {
    blank: () => ({ rung: 'edits', parts: [], finished: false }),
    next(screen, document) {
      const [part] = screen.parts;
      if (document.state === 'withdrawn') return takeAway(screen, { turn, document });
      if (part === undefined || part.id === UNKNOWN_ID) {
        // Looks for the message first: an earlier process may have posted it and crashed before it saved the id.
        const lookUp = part !== undefined || turn.attempt > 1;
        return [move({ kind: 'post', lookUp, document })];
      }
      if (part.sure && part.shown?.version === document.version) return [];
      return [move({ kind: 'edit', id: part.id, lookUp: false, document })];
    },
    after(screen, made, outcome, now) {
      if (outcome.kind === 'refused') return screen;
      const [part] = screen.parts;
      const { document, kind } = callOf(made);
      if (kind === 'remove' && outcome.kind === 'done') return { ...screen, parts: [], finished: true };
      if (outcome.kind === 'unknown')
        return { ...screen, parts: [{ ...(part ?? unknownPart(now)), sure: false }] };
      const { version, rewrites, text } = document;
      const id = outcome.id ?? part?.id ?? UNKNOWN_ID;
      const written: Part = {
        ...(part ?? unknownPart(now)),
        id,
        sure: true,
        shown: { version, rewrites, length: text.length },
      };
      return { ...screen, parts: [written], finished: isFinal(document) };
    },
    resume: (screen) => ({
      ...screen,
      finished: false,
      parts: screen.parts.map((part) => ({ ...part, sure: false })),
    }),
  };
}

/** Removes the reply's message. If the id is unknown, looks the message up first, because a post may have succeeded. */
function takeAway(
  { parts: [part], finished }: Screen,
  { turn, document }: { turn: Turn; document: ReplyDocument },
): readonly Move[] {
  if (part !== undefined && part.id !== UNKNOWN_ID) {
    return [move({ kind: 'remove', id: part.id, lookUp: false, document })];
  }
  const mayBeThere = !finished && (part !== undefined || turn.attempt > 1);
  return mayBeThere ? [move({ kind: 'remove', lookUp: true, document })] : [];
}

const unknownPart = (now: number): Part => ({
  id: UNKNOWN_ID,
  from: 0,
  live: false,
  openedAt: now,
  sure: false,
});

function move(call: Call): Move {
  return { family: call.kind, essential: call.kind !== 'edit' || isFinal(call.document), call };
}

function callOf({ call }: Move): Call {
  return call as Call;
}

/** Returns the stored screen of a reply whose only message has this id. */
export function screenOf(message: string): Screen {
  return { rung: 'edits', parts: [{ ...unknownPart(0), id: message }], finished: false };
}
