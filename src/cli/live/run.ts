/** Performs the acts of a live check one after another. */

import type { Clock } from '../../core/clock.ts';
import { asBridgeError, BridgeError } from '../../errors.ts';
import { type LiveAct, LiveFault, type LiveStage } from '../../kit/live.ts';
import { LiveSkip } from './stage.ts';

export interface ActResult extends Pick<LiveAct, 'name' | 'proves' | 'by'> {
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Why the act failed or was skipped. */
  readonly why?: string;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly notes?: readonly string[];
}

/** An act with what it needs of the check: for a channel, a `LiveStage`. */
export interface Act<Stage> extends Omit<LiveAct, 'perform'> {
  perform(stage: Stage): Promise<void>;
}

/** Writes into the result of one act. */
export interface Recorder extends Pick<LiveStage, 'measure'> {
  /** Adds a remark that is no fault. */
  note(text: string): void;
}

interface Run<Stage> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  say(line: string): void;
  stage(act: Act<Stage>, recorder: Recorder): Stage;
}

/**
 * Returns the named acts and those that they need, in the order of the table. With no names, returns all. Throws
 * `usage` for an unknown name.
 */
export function chosen<Stage>(acts: readonly Act<Stage>[], names: readonly string[]): readonly Act<Stage>[] {
  const unknown = names.find((name) => !acts.some((act) => act.name === name));
  if (unknown !== undefined)
    throw new BridgeError('usage', `There is no act "${unknown}"; --list names all acts.`);
  if (names.length === 0) return acts;
  const wanted = new Set(names);
  // Every act stands after those that it needs.
  for (const { name, needs = [] } of acts.toReversed())
    if (wanted.has(name)) for (const each of needs) wanted.add(each);
  return acts.filter(({ name }) => wanted.has(name));
}

export async function performActs<Stage>(
  acts: readonly Act<Stage>[],
  run: Run<Stage>,
): Promise<readonly ActResult[]> {
  const results: ActResult[] = [];
  for (const [index, act] of acts.entries()) {
    run.say(`\n${index + 1}/${acts.length} ${act.name}: ${act.proves}`);
    const result = await performOne(act, results, run);
    results.push(result);
    run.say(`   ${result.result} (${result.seconds} s)${result.why === undefined ? '' : `: ${result.why}`}`);
    for (const note of result.notes ?? []) run.say(`   ${note}`);
  }
  return results;
}

async function performOne<Stage>(
  act: Act<Stage>,
  before: readonly ActResult[],
  run: Run<Stage>,
): Promise<ActResult> {
  const { name, proves, by, needs = [], cure } = act;
  const began = run.clock.now();
  const figures: Record<string, number> = {};
  const notes: string[] = [];
  const ended = (result: ActResult['result'], why?: string): ActResult => ({
    name,
    proves,
    by,
    result,
    ...(why !== undefined && { why }),
    seconds: Math.round((run.clock.now() - began) / 100) / 10,
    figures,
    ...(notes.length > 0 && { notes }),
  });
  if (run.signal.aborted) return ended('skipped', INTERRUPTED);
  const missing = needs.find(
    (need) => !before.some((each) => each.name === need && each.result === 'passed'),
  );
  if (missing !== undefined) return ended('skipped', `needs the act "${missing}", which did not pass`);
  try {
    const measure = (figure: string, value: number): void => {
      figures[figure] = value;
    };
    await act.perform(run.stage(act, { measure, note: (text) => void notes.push(text) }));
    return ended('passed');
  } catch (thrown) {
    if (run.signal.aborted) return ended('skipped', INTERRUPTED);
    if (thrown instanceof LiveSkip) return ended('skipped', thrown.message);
    if (thrown instanceof LiveFault) return ended('failed', [thrown.message, cure].filter(Boolean).join(' '));
    // Messages of other errors may contain ids or texts of the chat.
    return ended('failed', `The act failed with an error (${asBridgeError(thrown).code}).`);
  }
}

const INTERRUPTED = 'interrupted';
