/** Checks that the channel declares all rate limits, and that replies within these limits are shown to their end. */

import type { CallPlace, FamilyLimit, SharedWindows } from '../core/channel/limits.ts';
import { createBudgets } from '../core/pacing/budgets.ts';
import { createLatest } from '../core/pacing/latest.ts';
import { pace } from '../core/pacing/pace.ts';
import type { Move, ReplyDocument, ReplyWriter, Turn } from '../kit.ts';
import { type Check, lacks } from './check.ts';
import { CHECK_MS, inTime, seen } from './limits.ts';
import { begin, blankDocument } from './play.ts';
import type { AskedTurn, Stage } from './stage.ts';
import { numberedWords, wordsIn } from './story.ts';
import { expectSame, expectTrue, NotChecked, Violation } from './violation.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Number of replies that grow at the same time, each in its own thread. */
const REPLIES = 6;
/** Number of pieces in each answer, and the milliseconds between two pieces. */
const PIECES = 60;
const EVERY_MS = 250;
/**
 * Maximum virtual time until all replies are shown, in milliseconds: the ten minutes that the delivery contract allows
 * for a turn.
 */
const ENDS_MS = 600_000;
const MINUTE_MS = 60_000;
/** Time, in milliseconds, in which a notice may be sent. */
const QUIET_MS = 500;

export const pacing: readonly Check[] = [
  {
    id: 'pacing.one-call',
    proves: 'Each move makes at most one call to the chat',
    missing: lacks('calls'),
    async run(stage) {
      const play = await begin(stage);
      for (let at = 0; at < 3; at++) {
        play.change({ kind: 'append', text: numberedWords(1 + 4 * at, 4) });
        if (at === 2) play.end('done');
        for (let move = play.next(); move !== undefined; move = play.next()) {
          const before = stage.rig.calls?.() ?? 0;
          await play.make(move);
          const made = (stage.rig.calls?.() ?? 0) - before;
          expectTrue(
            `A move of "${move.family}" made ${made} calls, so the rate limits count too few.`,
            made <= 1,
            'at most one call',
            made,
          );
        }
      }
    },
  },
  {
    id: 'pacing.waiting',
    proves: 'A notice that a question waits is sent with a permit',
    missing: lacks('calls'),
    async run(stage) {
      const { waiting } = stage.adapter.abilities;
      if (waiting === undefined) throw new NotChecked('the channel sends no such notices');
      const { turn } = await stage.asks();
      const { host, rig } = stage;
      host.waiting = true;
      host.permits = 0;
      const before = rig.calls?.() ?? 0;
      const made = () => (rig.calls?.() ?? 0) - before;
      await inTime('"waiting"', () => waiting.say(turn, 1));
      await seen(() => (made() > host.permits ? true : undefined), QUIET_MS);
      const what = 'A waiting notice made calls without "host.permit", so the rate limits do not count them.';
      expectTrue(what, made() <= host.permits, `${made()} permits`, host.permits);
    },
  },
  {
    id: 'pacing.windows',
    proves: 'Six replies that grow at the same time stay within the limits, and each is shown to its end',
    run: (stage) => inTime('The run in virtual time', () => growTogether(stage), CHECK_MS),
  },
  {
    id: 'pacing.families',
    proves: 'Each call names a family for which the channel declares a limit',
    async run(stage) {
      const { limits } = stage.adapter;
      for (const [family, limit] of Object.entries(limits)) {
        const { gapMs, perMinute = 1 } = limit;
        const isValid = Number.isFinite(gapMs) && gapMs >= 0 && perMinute > 0;
        expectTrue(
          `The limit of "${family}" is not valid.`,
          isValid,
          'gapMs from 0, and perMinute above 0',
          limit,
        );
      }
      const play = await begin(stage);
      const needs = Object.keys(stage.adapter.writer(play.turn).ends ?? {});
      play.change({ kind: 'append', text: numberedWords(1, 4) });
      await play.comeToRest();
      play.end('done');
      await play.comeToRest();
      if (!stage.keepsWhatItShowed) {
        play.end('withdrawn');
        await play.comeToRest();
      }
      const unknown = [...new Set([...stage.families, ...needs])].filter(
        (family) => limits[family] === undefined,
      );
      expectSame('Calls name families for which the channel declares no limit.', unknown, []);
    },
  },
];

/** A call in virtual time. */
interface Made extends CallPlace {
  readonly at: number;
  readonly family: string;
}

async function growTogether(stage: Stage): Promise<void> {
  const askedTurns: AskedTurn[] = [];
  for (let count = 0; count < REPLIES; count++) askedTurns.push(await stage.asks());
  const inFlight = new Set<Promise<unknown>>();
  const clock = createVirtualClock({
    async settle() {
      do {
        await Promise.allSettled(inFlight);
        await new Promise((resolve) => setImmediate(resolve));
      } while (inFlight.size > 0);
    },
  });
  const { limits } = stage.adapter;
  const budgets = createBudgets(limits, clock);
  const made: Made[] = [];
  const countedWriter = (turn: Turn, place: CallPlace): ReplyWriter => {
    const writer = stage.writer(turn);
    const perform = async (move: Move, signal: AbortSignal) => {
      made.push({ ...place, at: clock.now(), family: move.family });
      const call = writer.perform(move, signal);
      inFlight.add(call);
      return call.finally(() => inFlight.delete(call));
    };
    return { ...writer, ...boundTo(writer), perform };
  };
  let ended = 0;
  const failures: unknown[] = [];
  const replies = askedTurns.map(({ turn }) => {
    const { tenant, room, key } = turn.message.thread;
    const place = { tenant, room, thread: key };
    return growOne(turn, { writer: countedWriter(turn, place), place, budgets, clock })
      .catch((thrown: unknown) => void failures.push(thrown))
      .finally(() => {
        ended += 1;
        budgets.free(turn.id);
      });
  });
  await clock
    .until(() => ended === askedTurns.length, ENDS_MS)
    .catch(() => {
      const minutes = ENDS_MS / MINUTE_MS;
      throw new Violation(
        `After ${minutes} minutes of virtual time, some replies have not ended.`,
        askedTurns.length,
        ended,
      );
    });
  await Promise.all(replies);
  if (failures.length > 0) throw failures[0];
  for (const { turn } of askedTurns) {
    const found = wordsIn((await stage.shown(turn)).join(''));
    expectSame('A reply does not show its whole text.', found, wordsIn(numberedWords(1, PIECES)));
  }
  expectWithin(made, limits);
}

/** Returns the functions of a writer. They also work if the writer is an instance of a class. */
const boundTo = (writer: ReplyWriter): Omit<ReplyWriter, 'perform'> => ({
  ...(writer.ends && { ends: writer.ends }),
  blank: () => writer.blank(),
  next: (screen, document, now) => writer.next(screen, document, now),
  after: (screen, move, outcome, now) => writer.after(screen, move, outcome, now),
  resume: (screen) => writer.resume(screen),
});

interface Growing {
  readonly writer: ReplyWriter;
  readonly place: CallPlace;
  readonly budgets: ReturnType<typeof createBudgets>;
  readonly clock: VirtualClock;
}

/** Lets one answer grow, paced by the bridge's own pacer. */
async function growOne(turn: Turn, { writer, place, budgets, clock }: Growing): Promise<void> {
  const latest = createLatest<ReplyDocument>(blankDocument(turn));
  const live = new AbortController().signal;
  const screen = pace(latest, writer.blank(), {
    reply: turn.id,
    place,
    writer,
    budgets,
    clock,
    signal: live,
    halt: live,
    mayWrite: () => true,
    record: async () => undefined,
    moved: () => undefined,
  });
  const grow = async (): Promise<void> => {
    for (let piece = 1; piece <= PIECES; piece++) {
      const { version } = latest.get();
      const last = piece === PIECES;
      const text = numberedWords(1, piece);
      latest.set({ ...latest.get(), version: version + 1, text, state: last ? 'done' : 'writing' });
      await clock.wait(EVERY_MS);
    }
    latest.close();
  };
  await Promise.all([screen, grow()]);
}

/** Throws if any period contains more calls than the limit for their family allows. */
function expectWithin(made: readonly Made[], limits: Readonly<Record<string, FamilyLimit>>): void {
  for (const [family, { perMinute, shared = [] }] of Object.entries(limits)) {
    const own = made.filter((each) => each.family === family);
    if (perMinute !== undefined)
      expectWindow(
        own,
        { of: `"${family}" in a minute`, calls: perMinute, ms: MINUTE_MS },
        ({ tenant }) => tenant,
      );
    for (const { name, of, windows } of shared) {
      const sharing = made.filter((each) =>
        limits[each.family]?.shared?.some((other) => other.name === name),
      );
      for (const { calls, ms } of windows)
        expectWindow(sharing, { of: `"${name}" in ${ms} ms`, calls, ms }, placeOf(of));
    }
  }
}

const placeOf =
  (of: SharedWindows['of']) =>
  ({ tenant, room, thread = '' }: Made): string =>
    ({ tenant, room: `${tenant} ${room}`, thread: `${tenant} ${room} ${thread}` })[of];

function expectWindow(
  made: readonly Made[],
  { of, calls, ms }: { readonly of: string; readonly calls: number; readonly ms: number },
  place: (call: Made) => string,
): void {
  for (const call of made) {
    const here = made.filter(
      (each) => place(each) === place(call) && each.at >= call.at && each.at < call.at + ms,
    );
    expectTrue(`There were too many calls of ${of}.`, here.length <= calls, `at most ${calls}`, here.length);
  }
}
