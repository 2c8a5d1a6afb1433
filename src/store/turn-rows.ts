import { agentName, laneKey, type TurnId, turnId } from '../core/ids.ts';
import type { Message, Origin } from '../core/message.ts';
import type { Screen } from '../core/screen.ts';
import type { Feedback } from '../core/stores/feedback.ts';
import type { NewTurn, ReplyScreen, TurnCounts } from '../core/stores/inbox.ts';
import { type Interruption, type Phase, phases, type Turn, terminals } from '../core/turn.ts';

/** A row of `turns`, as the engine gives it. */
export type Row = Readonly<Record<string, unknown>>;

const STATES = ['waiting', 'running', ...terminals] as const;

/**
 * Returns the turn of a row. If the row is damaged, which only an outside fault can cause, returns a turn with the
 * readable parts, so that its reply can be ended. Returns undefined if the thread or the state cannot be read.
 */
export function turnOf(row: Row): Turn | undefined {
  const state = STATES.find((known) => known === row.state);
  const message = messageOf(row) ?? salvagedMessage(row);
  if (state === undefined || message === undefined) return undefined;
  const screen = screenOf(row);
  return {
    id: idOf(row),
    origin: originOf(row) ?? { kind: 'message', key: message.id, revision: message.revision },
    lane: laneKey(textOf(row.lane)),
    ...(row.reply !== row.id && { reply: turnId(textOf(row.reply)) }),
    message,
    keptAt: Number(row.kept_at),
    attempt: Number(row.attempt),
    ...(Number(row.postponed) > 0 && { postponed: Number(row.postponed) }),
    ...(Number(row.unasked) > 0 && { unasked: Number(row.unasked) }),
    // A damaged phase counts as `answering`: the question is not asked again, because the agent may have answered
    // already.
    phase: phaseOf(row) ?? 'answering',
    state,
    ...(screen !== undefined && { screen }),
    ...(row.agent !== null && { agent: agentName(textOf(row.agent)) }),
    ...(row.account !== null && { account: textOf(row.account) }),
    ...(row.session !== null && { session: textOf(row.session) }),
    ...(row.chat_record !== null && { chatRecord: textOf(row.chat_record) }),
  };
}

/** The newest turn of a question. */
interface Asking {
  readonly id: TurnId;
  readonly revision: number;
  readonly state: string;
}

/**
 * True if the new turn must not be stored. `newest` is the newest turn of its question. A message is refused if another
 * revision of the message was asked. A press of Retry is refused if a newer revision of the message was asked, or while
 * another turn of the question waits or runs, such as the turn of an edit.
 */
export function isOutdated({ origin, follows, message: { revision } }: NewTurn, newest: Asking): boolean {
  if (origin.kind === 'message') return newest.revision !== revision;
  if (origin.kind !== 'retry') return false;
  const asks = newest.id !== follows && (newest.state === 'waiting' || newest.state === 'running');
  return asks || newest.revision > revision;
}

/** Returns the screens of rows with the columns `reply` and `screen`. Leaves out screens that cannot be read. */
export const replyScreensOf = (rows: readonly Row[]): readonly ReplyScreen[] =>
  rows.flatMap((row) => {
    const screen = screenOf(row);
    return screen === undefined ? [] : [{ reply: turnId(textOf(row.reply)), screen }];
  });

/** True if any part of the row cannot be read. */
export const isDamaged = (row: Row): boolean =>
  phaseOf(row) === undefined ||
  originOf(row) === undefined ||
  messageOf(row) === undefined ||
  (row.screen !== null && screenOf(row) === undefined);

/** Returns a message without text, in the thread that the row's keys identify (`laneOf`, `messageKey`). */
function salvagedMessage(row: Row): Message | undefined {
  const [channel, tenant, room, key] = wordsOf(row.lane);
  if (channel === undefined || tenant === undefined || room === undefined || key === undefined)
    return undefined;
  return {
    id: wordsOf(row.message_key)[3] ?? key,
    thread: { channel, tenant, room, key, kind: 'room' },
    sender: { id: '', name: '', standing: 'member' },
    text: '',
    quoted: [],
    files: [],
    sentAt: Number(row.kept_at),
    revision: 0,
  };
}

/** Returns the reason why the row's turn was interrupted; undefined if it was not. */
export function interruptionOf(row: Row): KeptInterruption | undefined {
  const value = objectOf(row.interruption);
  switch (value?.kind) {
    case 'stop':
      return { kind: 'stop', by: typeof value.by === 'string' ? value.by : '' };
    case 'superseded':
    case 'withdrawn':
    case 'expired':
      return { kind: value.kind };
    default:
      return undefined;
  }
}

const RANKS: readonly Interruption['kind'][] = ['expired', 'stop', 'superseded', 'withdrawn'];
const rank = ({ kind }: Interruption): number => RANKS.indexOf(kind);

/** Returns the reason to store for an interruption: the first one, unless the new one has a higher rank (`RANKS`). */
export function strongerOf(row: Row, why: Interruption): Interruption {
  const known = interruptionOf(row);
  return known !== undefined && rank(known) >= rank(why) ? known : why;
}

/** Interruptions that are stored. All other interruptions come from the process itself and are never stored. */
type KeptInterruption = Extract<Interruption, { kind: 'stop' | 'superseded' | 'withdrawn' | 'expired' }>;

export const idOf = (row: Row): TurnId => turnId(textOf(row.id));

/** Returns the place of a row of `turns` in its lane. */
export const placeOf = ({ place, seq }: Row): number => Number(place ?? seq);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

type Plain = Readonly<Record<string, unknown>>;

/** Reads the counts of turns by state. */
export const countsOf = ({ waiting, postponed, running }: Row): TurnCounts => ({
  waiting: Number(waiting),
  ...(Number(postponed) > 0 && { postponed: Number(postponed) }),
  running: Number(running),
});

export function parse(json: unknown): unknown {
  if (typeof json !== 'string') return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Decodes a piece of an answer's text. A damaged piece becomes a gap, so that the rest is still shown. */
export const pieceOf = (json: unknown): string => textOf(parse(json));

export function objectOf(json: unknown): Plain | undefined {
  const value = parse(json);
  return isPlain(value) ? value : undefined;
}

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null;

function wordsOf(json: unknown): readonly string[] {
  const value = parse(json);
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : [];
}

// Only the inbox writes these columns, from typed values. A damaged value is therefore damaged as a whole, so checking
// the outermost properties is enough.

const phaseOf = (row: Row): Phase | undefined => phases.find((known) => known === row.phase);

const KINDS: readonly Origin['kind'][] = ['message', 'retry', 'regenerate', 'act', 'show', 'withdraw'];

function originOf(row: Row): Origin | undefined {
  const value = objectOf(row.origin);
  return isOrigin(value) ? value : undefined;
}

const isOrigin = (value: Plain | undefined): value is Plain & Origin =>
  KINDS.some((kind) => kind === value?.kind) &&
  (typeof value?.key === 'string' || typeof value?.of === 'string');

function messageOf(row: Row): Message | undefined {
  const value = objectOf(row.message);
  return isMessage(value) ? value : undefined;
}

const isMessage = (value: Plain | undefined): value is Plain & Message =>
  typeof value?.id === 'string' &&
  typeof value.text === 'string' &&
  isPlain(value.thread) &&
  isPlain(value.sender);

function screenOf(row: Row): Screen | undefined {
  const value = objectOf(row.screen);
  return isScreen(value) ? value : undefined;
}

const isScreen = (value: Plain | undefined): value is Plain & Screen =>
  typeof value?.rung === 'string' && Array.isArray(value.parts);

/** Reads a row of `feedback`. */
export function feedbackOf(row: Row): Feedback {
  return {
    turn: turnId(textOf(row.turn)),
    reply: turnId(textOf(row.reply)),
    person: textOf(row.person),
    verdict: row.verdict === 'up' ? 'up' : 'down',
    ...(row.note !== null && { note: textOf(row.note) }),
    at: Number(row.at),
    channel: textOf(row.channel),
    tenant: textOf(row.tenant),
    room: textOf(row.room),
    ...(row.agent !== null && { agent: agentName(textOf(row.agent)) }),
  };
}
