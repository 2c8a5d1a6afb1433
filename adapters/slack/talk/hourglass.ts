/**
 * An hourglass on a question that waits its turn, for everyone in the thread to see. It is kept before it is put, and
 * forgotten only when Slack has said that it is gone: none stays on a question whose answer has begun (fault F32).
 */

import type { Background } from '../../../src/kit/background.ts';
import type { AdapterHost, Turn } from '../../../src/kit.ts';
import type { Answer, Sender } from '../api/sender.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { type Glass, type GlassList, KEPT_MS, openGlasses, placeOf } from './hourglass-list.ts';

const NAME = 'hourglass_flowing_sand';
/** How often it is looked for questions that wait no more although their answers never began: edited, deleted ones. */
const LOOK_EVERY_MS = 2_000;
/** A call whose answer nobody saw may take effect for so long: as long as Slack may take for one. */
const LATE_MS = 10_000;
/** Pause after a call that did not work; doubled each time, up to the longest. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface HourglassParts {
  readonly sender: Sender;
  readonly host: Pick<AdapterHost, 'state' | 'waits' | 'clock' | 'log'>;
  readonly background: Background;
  /** Aborts when the adapter stops; the next process takes away what stands then. */
  readonly signal: AbortSignal;
}

export interface Hourglass {
  /** The turn waits. As with the next, nobody waits for it. */
  put(turn: Turn): void;
  /** The answer begins. */
  take(turn: Turn): void;
  /** The app was removed from the workspace: nothing of it is kept. */
  forget(tenant: string): Promise<void>;
}

/** What this process knows of a glass that is kept. */
interface Standing {
  over: boolean;
  /** A call is under way. */
  busy: boolean;
  /** No call that puts it can take effect after this. */
  quietAt: number;
  /** Not before this the next try. */
  dueAt: number;
  failures: number;
}

interface Shelf extends HourglassParts {
  readonly list: GlassList;
  readonly known: Map<string, Standing>;
  wake(): void;
}

export async function createHourglass(parts: HourglassParts): Promise<Hourglass> {
  const { host, background } = parts;
  const list = await openGlasses(host);
  const bell = createBell(parts);
  const shelf: Shelf = { ...parts, list, known: new Map(), wake: bell.ring };
  background.run('looking after hourglasses', () => lookAfter(shelf, bell));
  return {
    put(turn) {
      if (isPrivate(turn.message.thread)) return;
      background.run('an hourglass', () => put(glassOf(turn, host.clock.now()), shelf));
    },
    take(turn) {
      const glass = list.at(glassOf(turn, 0));
      if (glass === undefined) return;
      standingOf(glass, shelf).over = true;
      bell.ring();
    },
    async forget(tenant) {
      for (const glass of list.all()) if (glass.tenant === tenant) await drop(glass, shelf);
    },
  };
}

function glassOf({ id, message }: Turn, putAt: number): Glass {
  const { tenant, room } = message.thread;
  return { tenant, room, ts: tsOf(message.id), turn: id, putAt };
}

/** Of a glass that an earlier process put nobody knows whether the call has come to Slack yet. */
function standingOf(glass: Glass, { known, host }: Shelf): Standing {
  const place = placeOf(glass);
  const found = known.get(place);
  if (found !== undefined) return found;
  const quietAt = host.clock.now() + LATE_MS;
  const standing = { over: false, busy: false, quietAt, dueAt: 0, failures: 0 };
  known.set(place, standing);
  return standing;
}

async function drop(glass: Glass, { list, known }: Shelf): Promise<void> {
  known.delete(placeOf(glass));
  await list.remove(glass);
}

async function put(glass: Glass, shelf: Shelf): Promise<void> {
  const { list, host } = shelf;
  const standing = standingOf(glass, shelf);
  if (list.at(glass) !== undefined) {
    // It stands already, for an earlier wording of the question.
    standing.over = false;
    return list.replace(glass);
  }
  standing.busy = true;
  try {
    // Told to wait and begun at the same moment: then nothing would take it away.
    const waits = (await list.add(glass)) && (await host.waits(glass.turn));
    const answer = waits && (await react('reactions.add', glass, shelf));
    if (answer === false || answer.kind === 'refused') return await drop(glass, shelf);
    standing.quietAt = host.clock.now() + (answer.kind === 'done' ? 0 : LATE_MS);
  } catch (thrown) {
    await drop(glass, shelf);
    throw thrown;
  } finally {
    standing.busy = false;
    shelf.wake();
  }
}

/** Resolves whatever happens; what is ended with the adapter may have happened. */
function react(
  method: 'reactions.add' | 'reactions.remove',
  { tenant, room, ts }: Glass,
  { sender, signal }: Shelf,
): Promise<Answer> {
  const args = { channel: room, timestamp: ts, name: NAME };
  return sender
    .call(tenant, method, args, signal)
    .catch((): Answer => ({ kind: 'unknown', error: 'stopped' }));
}

/** Until the adapter stops. */
async function lookAfter(shelf: Shelf, bell: Bell): Promise<void> {
  while (!shelf.signal.aborted) {
    for (const glass of shelf.list.all()) await look(glass, shelf);
    await bell.next(shelf.list.all().length > 0);
  }
}

async function look(glass: Glass, shelf: Shelf): Promise<void> {
  const { host, background } = shelf;
  const standing = standingOf(glass, shelf);
  if (standing.busy || host.clock.now() < standing.dueAt) return;
  // A store that is down tells nothing: it is asked again.
  standing.over ||= !(await host.waits(glass.turn).catch(() => true));
  if (standing.over) background.run('taking an hourglass away', () => takeAway(glass, standing, shelf));
}

async function takeAway(glass: Glass, standing: Standing, shelf: Shelf): Promise<void> {
  const { now } = shelf.host.clock;
  if (standing.busy || shelf.known.get(placeOf(glass)) !== standing) return;
  standing.busy = true;
  try {
    const asked = now();
    const answer = await react('reactions.remove', glass, shelf);
    const gone = answer.kind !== 'unknown' && !(answer.kind === 'refused' && answer.why === 'rate');
    if (!gone) standing.dueAt = now() + pauseAfter(answer, standing);
    else if (asked < standing.quietAt) standing.dueAt = standing.quietAt;
    else await drop(glass, shelf);
    if (now() - glass.putAt > KEPT_MS) await drop(glass, shelf);
  } finally {
    standing.busy = false;
  }
}

function pauseAfter(answer: Answer, standing: Standing): number {
  const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** standing.failures);
  standing.failures += 1;
  return answer.kind === 'refused' && answer.retryAfterMs !== undefined ? answer.retryAfterMs : pause;
}

interface Bell {
  ring(): void;
  /** Resolves when it rings, when the adapter stops, or after a while if it is to look again. */
  next(again: boolean): Promise<void>;
}

function createBell({ host, signal }: HourglassParts): Bell {
  let rung = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => rung.resolve(), { once: true });
  return {
    ring: () => rung.resolve(),
    async next(again) {
      const rested = new AbortController();
      const rest = again
        ? host.clock.wait(LOOK_EVERY_MS, AbortSignal.any([signal, rested.signal])).catch(() => undefined)
        : rung.promise;
      await Promise.race([rest, rung.promise]);
      rested.abort();
      if (!signal.aborted) rung = Promise.withResolvers<void>();
    },
  };
}
