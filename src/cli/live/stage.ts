/** Waits for events and calls of the adapter, for replies, and for the person, on behalf of the acts of a live check. */

import type { Clock } from '../../core/clock.ts';
import type { TurnId } from '../../core/ids.ts';
import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import {
  type LiveCall,
  type LiveChannel,
  type LiveEvent,
  LiveFault,
  type LiveStage,
} from '../../kit/live.ts';
import type { AdapterHost, ChannelAdapter, Intake, ThreadRef } from '../../kit.ts';

/** The terminal of the person who runs a live check. */
export interface LiveTerminal {
  /** False if nobody can type. The acts of the person are then skipped. */
  readonly isAttended: boolean;
  say(line: string): void;
  /** Tells the person what to do for the act. */
  instruct(act: string, text: string): void;
  /** Returns the oldest line that was typed since the last call, and forgets it. */
  typed(): string | undefined;
}

/** Ends an act without a result. The message says why. */
export class LiveSkip extends Error {}

/** Maximum times in milliseconds: for the person; for an event after the person says that it is done; for all else. */
export interface LiveLimits {
  readonly personMs: number;
  readonly eventMs: number;
  readonly toolMs: number;
}

export const usualLimits: LiveLimits = { personMs: 120_000, eventMs: 15_000, toolMs: 45_000 };

/** Pauses between two looks: at what the adapter did, and at the chat, whose reads are limited to 50 a minute. */
const LOOK_MS = 100;
const READ_MS = 1_500;

const NO_EVENT = 'The chat platform delivered no event for it.';

export interface Watched {
  readonly adapter: ChannelAdapter;
  readonly events: readonly LiveEvent[];
  host(): AdapterHost;
}

/** Returns the adapter with a record of the events that it passes to the bridge. */
export function watched(adapter: ChannelAdapter, clock: Clock): Watched {
  const events: LiveEvent[] = [];
  let host: AdapterHost | undefined;
  const start = (given: AdapterHost) => {
    host = given;
    const intake = async (event: Intake) => {
      const at = clock.now();
      const result = await given.intake(event);
      events.push({ event, turn: 'turn' in result ? result.turn : undefined, at });
      return result;
    };
    return adapter.start({ ...given, intake });
  };
  return {
    adapter: Object.assign(Object.create(adapter) as ChannelAdapter, { start }),
    events,
    host() {
      if (host === undefined) throw new LiveFault('The channel did not start.');
      return host;
    },
  };
}

interface StageDeps {
  readonly act: string;
  readonly channel: Pick<LiveChannel, 'calls' | 'silence'>;
  readonly watched: Watched;
  readonly terminal: LiveTerminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits: LiveLimits;
  measure(name: string, value: number): void;
}

function createWaits({ terminal, clock, signal, limits }: StageDeps) {
  let awaitsPerson = false;

  /** Looks until `look` finds something. After `instruct`, the first wait is for the person. */
  async function waitFor<Found>(
    look: () => Found | undefined | Promise<Found | undefined>,
    { fault, everyMs }: { readonly fault: string; readonly everyMs: number },
  ): Promise<Found> {
    const isPersonal = awaitsPerson;
    awaitsPerson = false;
    let isDone = false;
    let until = clock.now() + (isPersonal ? limits.personMs : limits.toolMs);
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const line = isPersonal ? terminal.typed() : undefined;
      if (line?.trim() === 's') throw new LiveSkip('skipped by the person');
      if (line !== undefined && !isDone) {
        isDone = true;
        until = Math.min(until, clock.now() + limits.eventMs);
      }
      if (clock.now() >= until) {
        if (isPersonal && !isDone) throw new LiveSkip('nobody did it in time');
        throw new LiveFault(fault);
      }
      await clock.wait(everyMs, signal);
    }
  }

  const expectPerson = (): void => {
    awaitsPerson = true;
  };
  return { waitFor, expectPerson };
}

export function openStage(deps: StageDeps): LiveStage {
  const { act, channel, watched, terminal, clock, signal, measure } = deps;
  const since = { event: watched.events.length, call: channel.calls.length };
  const calls = () => channel.calls.slice(since.call);
  const { waitFor, expectPerson } = createWaits(deps);

  async function replyOf(turn: TurnId | undefined, thread: ThreadRef): Promise<ReplyDocument | undefined> {
    if (turn === undefined) throw new LiveFault('The bridge did not accept the question.');
    if (await watched.host().pending(turn)) return undefined;
    const reply = await watched.host().reply(turn, thread);
    return reply !== undefined && isFinal(reply) ? reply : undefined;
  }

  return {
    clock,
    signal,
    calls,
    measure,
    instruct(text) {
      if (!terminal.isAttended) throw new LiveSkip('nobody is at the terminal');
      while (terminal.typed() !== undefined);
      expectPerson();
      terminal.instruct(act, text);
    },
    event: (kind, fits = () => true) =>
      waitFor(
        () =>
          watched.events
            .slice(since.event)
            .find(
              (each): each is LiveEvent<Extract<Intake, { kind: typeof kind }>> =>
                isOf(each.event, kind) && fits(each.event),
            ),
        { fault: `${NO_EVENT} ${channel.silence}`, everyMs: LOOK_MS },
      ),
    call: (method, fits = () => true) =>
      waitFor(() => calls().find((call) => call.method === method && fits(call)), {
        fault: `The bridge did not call ${method}.`,
        everyMs: LOOK_MS,
      }).then(accepted),
    async ask(message) {
      const origin = { kind: 'message', key: message.id, revision: message.revision } as const;
      const result = await watched.host().intake({ kind: 'ask', origin, message });
      if (result.kind === 'kept') return result.turn;
      throw new LiveFault(`The bridge did not accept the question (${result.kind}).`);
    },
    reply: (turn, thread) =>
      waitFor(() => replyOf(turn, thread), { fault: 'The answer did not end in time.', everyMs: LOOK_MS }),
    until: (look, fault) => waitFor(look, { fault, everyMs: READ_MS }),
  };
}

const isOf = <Kind extends Intake['kind']>(
  event: Intake,
  kind: Kind,
): event is Extract<Intake, { readonly kind: Kind }> => event.kind === kind;

function accepted(call: LiveCall): LiveCall {
  if (call.refused === undefined) return call;
  throw new LiveFault(`${call.method} was refused: ${call.refused}.`);
}
