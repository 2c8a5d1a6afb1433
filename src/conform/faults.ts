/** Checks what the channel does when the chat refuses a call, or when a call or the response to it is lost. */

import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../clock.ts';
import type { Rig, TransportFault } from '../kit/rig.ts';
import type { Outcome } from '../kit.ts';
import type { Check } from './check.ts';
import { inTime } from './limits.ts';
import { begin, MOST_FAILURES, type Play, waitAfter } from './play.ts';
import type { Stage } from './stage.ts';
import { numberedWords } from './story.ts';
import { expectSame, expectTrue, Violation } from './violation.ts';

/** Maximum number of calls to show one document. */
const MOST_CALLS = 40;
/** Milliseconds after which a check aborts a call that has got no response. */
const PATIENCE_MS = 300;
/** Maximum milliseconds until a call that was aborted must have ended. */
const END_MS = 2_000;

/** Position, among the calls of a reply, of the call that fails. */
const PLACES = ['first', 'middle', 'last'] as const;
type Place = (typeof PLACES)[number];

/** The outcome that `perform` must return for each failure, unless the channel repeated the call on its own. */
const expected: Readonly<Record<TransportFault, string>> = {
  lost: 'unknown',
  hidden: 'unknown',
  hang: 'unknown',
  rate: 'rate',
  busy: 'busy or unknown',
  invalid: 'invalid',
  gone: 'gone',
};

const proves: Readonly<Record<TransportFault, string>> = {
  lost: 'A call that is lost on its way is made again, and nothing is shown twice',
  hidden: 'If the response to a call is lost, the call is not reported as failed, and nothing is shown twice',
  hang: 'A call that gets no response ends when the bridge aborts it, and nothing is shown twice',
  rate: 'When the chat refuses a call because of a rate limit, the reply continues afterwards',
  busy: 'When the chat is temporarily unavailable, the reply continues afterwards',
  invalid: 'A call that the chat never accepts is followed by a different call, and the reply is shown',
  gone: 'After the chat says that the reply is gone, there is no further call',
};

export const faults: readonly Check[] = (Object.keys(proves) as readonly TransportFault[]).map((fault) => ({
  id: `faults.${fault}`,
  proves: proves[fault],
  missing: (rig: Rig) =>
    rig.faults?.[fault] === undefined ? `the rig's "faults" have no "${fault}"` : undefined,
  async run(stage) {
    for (const place of PLACES) {
      // A channel that cannot look up its own messages cannot find the message that the call created.
      if (stage.rig.blind && place === 'first' && (fault === 'hidden' || fault === 'hang')) continue;
      await tryFault(stage, fault, place);
    }
  },
}));

async function tryFault(stage: Stage, fault: TransportFault, place: Place): Promise<void> {
  const play = await begin(stage);
  const arm = (at: Place) => (at === place ? fault : undefined);
  play.change({ kind: 'append', text: numberedWords(1, 4) });
  if (await drive(play, stage, arm('first'))) return;
  play.change({ kind: 'append', text: numberedWords(5, 4) });
  if (await drive(play, stage, arm('middle'))) return;
  play.change({ kind: 'append', text: numberedWords(9, 4) });
  play.end('done');
  if (await drive(play, stage, arm('last'))) return;
  expectSame('The reply has not ended.', play.screen.finished, true);
  await play.expectShown();
}

/**
 * Makes calls until the reply shows its whole document. If `fault` is given, the first call fails with it.
 * @returns true if the fault was "gone", which means that somebody deleted the reply in the chat
 */
async function drive(play: Play, stage: Stage, fault: TransportFault | undefined): Promise<boolean> {
  let failures = 0;
  let armed = fault;
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const move = play.next();
    if (move === undefined) return false;
    if (armed !== undefined) stage.rig.faults?.[armed]?.();
    const outcome = await make(play, move, armed);
    // A channel may try another kind of call first, which the chat refuses too.
    const triesOtherWay = armed === 'gone' && triesAnother(outcome);
    if (armed !== undefined && !triesOtherWay) {
      const what = `The chat failed with "${armed}", but the outcome of "perform" does not say so.`;
      expectTrue(what, isTruthful(armed, outcome), expected[armed], outcome);
      if (armed === 'rate') expectPause(outcome, stage.rig);
      const next = play.next();
      if (armed === 'gone') {
        expectSame('A reply that is gone still needs a call.', next, undefined);
        return true;
      }
      const isSame = armed === 'invalid' && isDeepStrictEqual(next?.call, move.call);
      expectTrue('After "invalid", "next" returns the same call again.', !isSame, 'another call', next?.call);
      armed = undefined;
    }
    failures = outcome.kind === 'done' ? 0 : failures + 1;
    await waitAfter(failures);
    if (failures >= MOST_FAILURES)
      throw new Violation(
        `${failures} calls in a row failed after one failure of the chat.`,
        'a call that succeeds',
        outcome,
      );
  }
  throw new Violation(`After ${MOST_CALLS} calls, the reply is not shown.`, 'no further call', play.next());
}

function expectPause(outcome: Outcome, { retryAfterMs: due = 0 }: Rig): void {
  if (outcome.kind !== 'refused') return;
  const { retryAfterMs = 0 } = outcome;
  const what = 'The chat said when to make the call again, and "retryAfterMs" of the outcome is shorter.';
  expectTrue(what, retryAfterMs >= due, `at least ${due}`, retryAfterMs);
}

/** True if the outcome says that the chat refuses this kind of call, and not that the reply is gone. */
const triesAnother = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && (outcome.why === 'invalid' || outcome.why === 'not-live');

function isTruthful(fault: TransportFault, outcome: Outcome): boolean {
  if (outcome.kind === 'done') return fault !== 'gone';
  return expected[fault].includes(outcome.kind === 'refused' ? outcome.why : outcome.kind);
}

async function make(
  play: Play,
  move: Parameters<Play['make']>[0],
  fault: TransportFault | undefined,
): Promise<Outcome> {
  if (fault !== 'hang') return play.make(move);
  const ended = new AbortController();
  const call = play.perform(move, ended.signal).catch((thrown: unknown): Outcome => {
    if (!ended.signal.aborted) throw thrown;
    return { kind: 'unknown' };
  });
  await Promise.race([systemClock.wait(PATIENCE_MS), call]);
  ended.abort();
  const outcome = await inTime('After its signal was aborted, "perform"', () => call, END_MS);
  play.settleWith(move, outcome);
  return outcome;
}
