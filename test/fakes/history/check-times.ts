/** Checks the time to the first visible sign of a question, and the time from the claim of the question to its end. */

import type { Breach } from './breach.ts';
import { whereOf } from './check-replies.ts';
import { shows } from './doing.ts';
import type { Called, History, Question, Span } from './kept.ts';
import { type Reply, threadOf } from './replies.ts';
import { WAITS } from './waiting-note.ts';

/**
 * Calls that show people that the app received their question. Calls of the reply itself count too, but are not in
 * this list.
 */
const SIGNS = [
  'reactions.add',
  'agents.sessions.setStatus',
  'assistant.threads.setStatus',
  'chat.postEphemeral',
  'typing',
];

export function inTime(history: History, replies: readonly Reply[]): readonly Breach[] {
  // In a direct message, the note about a waiting question names no thread.
  const signs = Map.groupBy(
    history.calls.filter(({ ok, method, said }) => ok && (SIGNS.includes(method) || WAITS.test(said))),
    threadOf,
  );
  const hits = Map.groupBy(
    history.calls.filter(({ fault }) => fault !== undefined),
    ({ team }) => team,
  );
  const byId = Map.groupBy(history.askings, ({ id }) => id);
  const signsFor = (question: Question) =>
    [question, { ...question, thread: '' }].flatMap((place) => signs.get(threadOf(place)) ?? []);
  return replies.flatMap((reply) => [
    ...lateSign(reply, { signs: signsFor(reply.question), hits }, history),
    ...lateEnd(reply, byId, history),
  ]);
}

/** Returns the milliseconds between two moments, without the excused spans. */
export function countedMs(from: number, to: number, excused: readonly Span[]): number {
  let counted = to - from;
  let reached = from;
  for (const { at, until } of excused.toSorted((one, other) => one.at - other.at)) {
    const since = Math.max(at, reached);
    const end = Math.min(until, to);
    if (end <= since) continue;
    counted -= end - since;
    reached = end;
  }
  return counted;
}

type CallsByTeam = ReadonlyMap<string, readonly Called[]>;

/**
 * Returns the ends of the planted faults that delayed calls for a question. These are all faults in the room of the
 * question, and rate refusals anywhere in its workspace.
 */
const endsOfHits = ({ team, channel, sentAt }: Question, hits: CallsByTeam): readonly number[] =>
  (hits.get(team) ?? [])
    .filter((call) => call.channel === channel || call.fault === 'rate')
    .map(endOf)
    .filter((at) => at >= sentAt - FAULT_MS);

const endOf = ({ at, doneAt, fault = '' }: Called): number => {
  if (UNANSWERED.includes(fault)) return at + CALL_MS;
  return Number.isFinite(doneAt) ? doneAt : at;
};

/** Maximum time for which a fault delays later calls, in milliseconds. */
const FAULT_MS = 5_000;
/**
 * Faults that leave a call without a response, and the time after which the bridge gives up such a call, in
 * milliseconds.
 */
const UNANSWERED = ['hang', 'timeout'];
const CALL_MS = 10_000;

/**
 * Returns the times at which the measurement of a wait starts again because of a fault of a machine. If another replica
 * can take over, this is the beginning of the fault, because the allowed wait includes a takeover. Otherwise, it is the
 * end of the fault.
 */
const beginsAnew = ({ machineFaults, replicas = 1 }: History): readonly number[] =>
  machineFaults.map(({ name, at, until }) => (replicas > 1 && !isOfDatabase(name) ? at : until));

const isOfDatabase = (name: string): boolean => name.startsWith('PostgreSQL');

/**
 * Returns the spans that are not measured. With several replicas, the time in which one replica is faulty is
 * measured, because another replica can take over. The time of a database fault is never measured.
 */
function excusedIn({ excused, machineFaults, replicas = 1 }: History): readonly Span[] {
  if (replicas === 1) return excused;
  const counted = machineFaults.filter(({ name }) => !isOfDatabase(name));
  return excused.filter((span) => !counted.some(({ at, until }) => at === span.at && until === span.until));
}

function lateSign(
  reply: Reply,
  { signs, hits }: { signs: readonly Called[]; hits: CallsByTeam },
  history: History,
): readonly Breach[] {
  const { question, calls } = reply;
  const { acceptedAt, deletedAt } = question;
  if (acceptedAt === undefined || deletedAt !== undefined || isClosed(question, history)) return [];
  const seen = [...signs, ...calls.filter(({ ok, method }) => ok && shows(method))]
    .map(visibleAt)
    .filter((at) => at >= question.sentAt);
  const shownAt = Math.min(...seen);
  const anew = [...beginsAnew(history), ...endsOfHits(question, hits)].filter((at) => at < shownAt);
  const waited = countedMs(Math.max(acceptedAt, ...anew), shownAt, excusedIn(history));
  if (waited <= history.bounds.noticeMs) return [];
  const what = `nothing was shown for ${Math.round(waited)} ms after it was accepted`;
  return [{ rule: 'notice', where: whereOf(reply), what }];
}

/**
 * Returns the time at which people saw the effect of a call: when it got its response, or when it arrived if it got no
 * response.
 */
const visibleAt = ({ at, doneAt }: Called): number => (Number.isFinite(doneAt) ? doneAt : at);

const isClosed = ({ team, channel }: Question, { closed }: History): boolean =>
  closed.some((each) => each.team === team && each.channel === channel);

/** Returns the times of the claim and of the end, as the servers saw them; undefined for a question without a reply. */
export function lifeOf(
  { question, calls, acts }: Reply,
  byId: ReadonlyMap<string, History['askings']>,
): Span | undefined {
  const asked = question.sayings.flatMap(({ id }) => byId.get(id) ?? []).map(({ at }) => at);
  const shown = calls.filter(({ ok, method }) => ok && shows(method));
  const claims = [...asked, ...shown.map(({ at }) => at)];
  if (claims.length === 0) return undefined;
  // A press begins a new turn of the question.
  const pressed = Math.max(Number.NEGATIVE_INFINITY, ...acts.map(({ at }) => at));
  const at = Math.min(...claims);
  return { at: Math.max(at, pressed), until: Math.max(at, pressed, ...shown.map(visibleAt)) };
}

function lateEnd(
  reply: Reply,
  byId: ReadonlyMap<string, History['askings']>,
  { bounds }: History,
): readonly Breach[] {
  const life = lifeOf(reply, byId);
  if (life === undefined || life.until - life.at <= bounds.endMs) return [];
  const what = `it ended ${Math.round((life.until - life.at) / 1_000)} s after its claim`;
  return [{ rule: 'late', where: whereOf(reply), what }];
}
