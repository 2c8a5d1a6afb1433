import type { SQLOutputValue } from 'node:sqlite';
import { agentName, laneKey, type TurnId, turnId } from '../core/ids.ts';
import type { Message, Origin } from '../core/message.ts';
import type { Screen } from '../core/screen.ts';
import type { Interruption, Phase, Turn } from '../core/turn.ts';

/** A row of `turns`, as SQLite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

const PHASES: readonly Phase[] = ['new', 'asking', 'answering', 'ending'];
const STATES: readonly Turn['state'][] = [
  'waiting',
  'running',
  'answered',
  'partial',
  'failed',
  'stopped',
  'withdrawn',
  'expired',
  'superseded',
];

/** The turn of a row; `undefined` when the row cannot be read, which only damage from outside can cause. */
export function turnOf(row: Row): Turn | undefined {
  const phase = PHASES.find((known) => known === row.phase);
  const state = STATES.find((known) => known === row.state);
  const origin = objectOf(row.origin);
  const message = objectOf(row.message);
  if (phase === undefined || state === undefined || !isOrigin(origin) || !isMessage(message))
    return undefined;
  const screen = objectOf(row.screen);
  if (row.screen !== null && !isScreen(screen)) return undefined;
  return {
    id: idOf(row),
    origin,
    lane: laneKey(textOf(row.lane)),
    ...(row.reply !== row.id && { reply: turnId(textOf(row.reply)) }),
    message,
    keptAt: Number(row.kept_at),
    attempt: Number(row.attempt),
    phase,
    state,
    ...(isScreen(screen) && { screen }),
    ...(row.agent !== null && { agent: agentName(textOf(row.agent)) }),
    ...(row.account !== null && { account: textOf(row.account) }),
    ...(row.session !== null && { session: textOf(row.session) }),
    ...(row.chat_record !== null && { chatRecord: textOf(row.chat_record) }),
  };
}

/** Why the row's turn was asked to end, where it was. */
export function interruptionOf(row: Row): KeptInterruption | undefined {
  const value = objectOf(row.interruption);
  switch (value?.kind) {
    case 'stop':
      return { kind: 'stop', by: typeof value.by === 'string' ? value.by : '' };
    case 'superseded':
    case 'withdrawn':
      return { kind: value.kind };
    default:
      return undefined;
  }
}

/** What a person did to a turn; the other reasons are the process's own. */
type KeptInterruption = Extract<Interruption, { kind: 'stop' | 'superseded' | 'withdrawn' }>;

export const idOf = (row: Row): TurnId => turnId(textOf(row.id));

export const seqOf = (row: Row): number => Number(row.seq);

export const textOf = (value: SQLOutputValue | undefined): string => (typeof value === 'string' ? value : '');

type Plain = Readonly<Record<string, unknown>>;

function parse(json: SQLOutputValue | undefined): unknown {
  if (typeof json !== 'string') return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function objectOf(json: SQLOutputValue | undefined): Plain | undefined {
  const value = parse(json);
  return isPlain(value) ? value : undefined;
}

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null;

// The inbox alone writes these columns, from typed values: a row is either as it was written or damaged, so a
// look at the members that carry the rest is enough.

const KINDS: readonly Origin['kind'][] = ['message', 'retry', 'regenerate', 'act', 'show', 'withdraw'];

const isOrigin = (value: Plain | undefined): value is Plain & Origin =>
  KINDS.some((kind) => kind === value?.kind) &&
  (typeof value?.key === 'string' || typeof value?.of === 'string');

const isMessage = (value: Plain | undefined): value is Plain & Message =>
  typeof value?.id === 'string' &&
  typeof value.text === 'string' &&
  isPlain(value.thread) &&
  isPlain(value.sender);

const isScreen = (value: Plain | undefined): value is Plain & Screen =>
  typeof value?.rung === 'string' && Array.isArray(value.parts);
