/** A bridge in memory. Records what the channel passes to it, and causes failures that a check asks for. */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { laneOf, originKey } from '../core/message.ts';
import { BridgeError } from '../errors.ts';
import {
  type AgentCard,
  agentName,
  type HttpHandler,
  type IntakeResult,
  type KeptReply,
  type Keyed,
  type TurnId,
} from '../kit/ladder.ts';
import { type AdapterHost, type Intake, type Log, type Turn, turnId } from '../kit.ts';

/** An event that the channel passed to `intake`. */
export interface AcceptedEvent {
  readonly event: Intake;
  /** The turn of the event. For a question that was delivered before, the turn of its first delivery. */
  readonly turn: TurnId;
  /** True once the event is stored. */
  isStored: boolean;
}

/**
 * Treatment of events: `keeps` stores them at once, and `slow` stores them after `SLOW_MS`. `fails` and `refuses` do
 * not store them.
 */
export type IntakeBehavior = 'keeps' | 'slow' | 'fails' | 'refuses';

export interface TestHost extends AdapterHost {
  readonly taken: AcceptedEvent[];
  behavior: IntakeBehavior;
  /** Id of the person to whom the rules forbid every action; undefined if there is none. */
  barred: string | undefined;
  /** Id of the person who may ask, but not the agent of the reply. */
  barredFromAgent?: string | undefined;
  /** True while the questions of the chat wait, for the check of waiting notices. */
  waiting: boolean;
  /** Number of permits that the channel has got for calls that do not write a reply. */
  permits: number;
  /** Finished replies by turn, for presses. */
  readonly replies: Map<TurnId, KeptReply>;
  /** Warnings and errors that the channel logged, newest last. */
  readonly logged: readonly string[];
  readonly mounts: readonly { readonly path: string; readonly handler: HttpHandler }[];
}

/** Milliseconds that `slow` needs to store an event. */
export const SLOW_MS = 300;
/** Sentence that people read when the bridge refuses a question. */
export const REFUSAL = 'You asked many questions in a short time. Please wait a minute and ask again.';
/** Sentence that people read when the rules forbid an action. */
export const BARRED = 'You are not allowed to ask agents here. The operator of the bridge can allow it.';
/** Maximum number of log lines in memory. */
const MOST_LINES = 50;
/** A red PNG of one pixel, which stands for every image of an answer. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const cards: readonly AgentCard[] = ['knowledge', 'helper'].map((name) => ({
  name: agentName(name),
  description: `The agent ${name}`,
  seesImages: false,
}));

/** @param state values that earlier hosts of the same chat stored. It stands for the data folder of the bridge. */
export function createHost(clock: Clock, state: Map<string, unknown>): TestHost {
  const accepted: AcceptedEvent[] = [];
  const logged: string[] = [];
  const mounts: { path: string; handler: HttpHandler }[] = [];
  const keyed = memoryKeyed(state);
  const turns = new Map<string, TurnId>();
  const log = logTo(logged);
  const permit = () => {
    host.permits += 1;
    return { answered: () => undefined };
  };
  const host: TestHost = {
    taken: accepted,
    logged,
    mounts,
    log,
    clock,
    behavior: 'keeps',
    barred: undefined,
    replies: new Map(),
    waiting: false,
    permits: 0,
    intake: (event) => takeIn(event, host, turns),
    mount: (path, handler) => void mounts.push({ path, handler }),
    link: (media, { turn }) => `https://parley.example/media/${turn}/${media.id}`,
    linkPath: (media, { turn }) => `/media/${turn}/${media.id}`,
    sourceLink: ({ link }) => link,
    waits: async () => host.waiting,
    pending: async () => true,
    messagesOfOthers: async () => new Set(),
    running: async () => [],
    receipt: async () => [],
    agents: () => cards,
    otherRights: () => true,
    refusal: ({ id }) => (id === host.barred ? BARRED : undefined),
    pressRefusal: async ({ id }) => (id === host.barredFromAgent ? BARRED : undefined),
    noteAct: async () => undefined,
    corrections: { offered: () => false, target: async () => undefined, store: async () => 'unconfirmed' },
    linkPages: undefined,
    askers: { keep: async () => undefined, fail: async () => undefined },
    mentionRule: () => 'alone',
    state: keyed,
    secrets: keyed,
    forgetTenant: async () => undefined,
    forgetRoom: async () => undefined,
    reply: async (turn) => host.replies.get(turn),
    openMedia: async () => ({ type: 'image/png', bytes: IMAGE }),
    closing: () => false,
    permit: async () => permit(),
    permitAtOnce: permit,
  };
  return host;
}

/** Returns a log that keeps the newest warnings and errors. */
function logTo(lines: string[]): Log {
  const note = (facts: Readonly<Record<string, unknown>>, text: string): void => {
    const { err } = facts;
    lines.push(err instanceof Error ? `${text}: ${err.message}` : text);
    if (lines.length > MOST_LINES) lines.shift();
  };
  return { debug: () => undefined, info: () => undefined, warn: note, error: note };
}

async function takeIn(event: Intake, host: TestHost, turns: Map<string, TurnId>): Promise<IntakeResult> {
  const key = event.kind === 'ask' ? originKey(event.message.thread, event.origin) : undefined;
  const known = key === undefined ? undefined : turns.get(key);
  const turn = known ?? turnId(randomUUID());
  const entry: AcceptedEvent = { event, turn, isStored: false };
  host.taken.push(entry);
  if (host.behavior === 'slow') await host.clock.wait(SLOW_MS);
  if (host.behavior === 'fails')
    throw new BridgeError('store-unavailable', 'The store of `parley conform` fails on purpose.');
  if (host.behavior === 'refuses') return { kind: 'refused', tellUser: REFUSAL };
  entry.isStored = true;
  if (key !== undefined) turns.set(key, turn);
  return resultOf(event, turn, known !== undefined);
}

function resultOf(event: Intake, turn: TurnId, isKnown: boolean): IntakeResult {
  switch (event.kind) {
    case 'ask':
      return isKnown ? { kind: 'duplicate', turn } : { kind: 'kept', turn, ahead: 0 };
    case 'edit':
    case 'show':
      return { kind: 'kept', turn, ahead: 0 };
    case 'stop':
    case 'instead':
      return { kind: 'stopped' };
    case 'delete':
    case 'feedback':
      return { kind: 'noted' };
  }
}

/** Returns the turn that the bridge would create for a stored question; undefined for other events. */
export function turnOf({ event, turn }: AcceptedEvent, now: number): Turn | undefined {
  if (event.kind !== 'ask') return undefined;
  const { message, origin } = event;
  return {
    id: turn,
    origin,
    lane: laneOf(message.thread),
    message,
    keptAt: now,
    attempt: 1,
    phase: 'new',
    state: 'running',
  };
}

/** State in memory, as JSON. Values do not expire. */
export function memoryKeyed(values: Map<string, unknown>): Keyed {
  const set = (key: string, value: unknown) => void values.set(key, JSON.parse(JSON.stringify(value)));
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => set(key, value),
    async change(key, next) {
      const after = next(values.get(key));
      if (after !== undefined) set(key, after);
      return after !== undefined;
    },
    delete: async (key) => void values.delete(key),
  };
}
