/** The types of a live check: acts that `parley doctor --live` performs with the real chat platform. */

import type { Intake } from '../core/channel/events.ts';
import type { Clock } from '../core/clock.ts';
import type { TurnId } from '../core/ids.ts';
import type { Message, ThreadRef } from '../core/message.ts';
import type { ReplyDocument } from '../core/reply.ts';
import type { ChannelAdapter } from './host.ts';
import type { Plain } from './json.ts';

/** Ends an act as failed. The message is one sentence without ids, names and texts of the chat. */
export class LiveFault extends Error {}

/** A call of the chat platform that the adapter made. */
export interface LiveCall {
  readonly method: string;
  readonly args: Plain;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Time of the answer, in milliseconds since the epoch. */
  readonly at: number;
  /** The platform's error code, if it refused the call or did not answer. */
  readonly refused: string | undefined;
  /** Milliseconds for which the platform accepts no further call, if it refused the call because of a rate limit. */
  readonly retryAfterMs: number | undefined;
}

/** Returns the list `calls`, and the function `make`, which makes a call and adds it to the list. */
export function createCallRecord({ now }: Clock) {
  const calls: LiveCall[] = [];
  const make = async <Answer>(
    call: () => Promise<Answer>,
    describe: (answer: Answer) => Omit<LiveCall, 'ms' | 'at'>,
  ): Promise<Answer> => {
    const began = now();
    const answer = await call();
    calls.push({ ...describe(answer), ms: now() - began, at: now() });
    return answer;
  };
  return { calls, make };
}

type IntakeOf<Kind> = Extract<Intake, { readonly kind: Kind }>;

/** An event that the adapter passed to the bridge. */
export interface LiveEvent<Event = Intake> {
  readonly event: Event;
  /** The turn that the event began; undefined if it began none. */
  readonly turn: TurnId | undefined;
  /** Time of its arrival, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * What one act can do. After `instruct`, the next wait is for the person, who may take two minutes or skip the act; all
 * other waits end after 45 s. Every function rejects with a `LiveFault` if its wait ends in vain.
 */
export interface LiveStage {
  readonly clock: Clock;
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Tells the person what to do now. */
  instruct(text: string): void;
  /** Resolves with the first event of this kind since the act began. */
  event<Kind extends Intake['kind']>(
    kind: Kind,
    fits?: (event: IntakeOf<Kind>) => boolean,
  ): Promise<LiveEvent<IntakeOf<Kind>>>;
  /** Resolves with the first call of the method since the act began. */
  call(method: string, fits?: (call: LiveCall) => boolean): Promise<LiveCall>;
  /** Calls of the adapter since the act began. */
  calls(): readonly LiveCall[];
  /** Asks the scripted agent as if the message had arrived. Resolves with the turn. */
  ask(message: Message): Promise<TurnId>;
  /** Resolves with the reply once it has ended. */
  reply(turn: TurnId | undefined, thread: ThreadRef): Promise<ReplyDocument>;
  /** Calls `look` every 1.5 s until it resolves with a value. `fault`: the sentence if it never does. */
  until<Value>(look: () => Promise<Value | undefined>, fault: string): Promise<Value>;
  /** Adds a figure to the evidence. The name states the unit. */
  measure(name: string, value: number): void;
}

export interface LiveAct {
  /** Name for `--only`. */
  readonly name: string;
  /** One sentence that is true if the act passes. */
  readonly proves: string;
  readonly by: 'person' | 'tool';
  /** Names of the acts that must have passed before. */
  readonly needs?: readonly string[];
  /** One sentence that says what to do if the act fails. */
  readonly cure?: string;
  perform(stage: LiveStage): Promise<void>;
}

/** A channel in a live check. */
export interface LiveChannel {
  readonly adapter: ChannelAdapter;
  /** The way in which events arrive, such as `Socket Mode`. */
  readonly way: string;
  readonly acts: readonly LiveAct[];
  /** One sentence that says what to check if no event arrives. */
  readonly silence: string;
  /** The calls of the adapter so far, in the order of their ends. */
  readonly calls: readonly LiveCall[];
}
