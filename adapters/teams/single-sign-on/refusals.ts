/**
 * Adds refused tokens to the audit. A person can send any number of bad tokens, so each person and reason gets at most
 * two records per minute: one for the first token, and one with the number of further tokens.
 */

import type { Background } from '../../../src/kit/ladder.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import type { WrongPart } from './verify.ts';

/** Time in which further refusals are only counted, in milliseconds. */
const COUNTED_MS = 60_000;
/** Maximum people and reasons that are counted at the same time. Further ones get no record until there is room. */
const MAX_COUNTED = 10_000;

export interface RefusedToken {
  readonly tenant: string;
  readonly person: string;
  readonly part: WrongPart;
}

interface Counted {
  readonly refused: RefusedToken;
  readonly until: number;
  /** Number of refusals after the first one. */
  more: number;
}

/**
 * Returns a function that records a refused token.
 * @param signal aborts when the adapter stops; the numbers so far are then recorded
 */
export function createRefusals(
  { clock, noteAct }: Pick<AdapterHost, 'clock' | 'noteAct'>,
  background: Background,
  signal: AbortSignal,
) {
  const counted = new Map<string, Counted>();
  let isCounting = false;
  const note = ({ tenant, person, part }: RefusedToken, more: number) =>
    noteAct({
      tenant,
      person,
      action: 'sign-in',
      outcome: 'refused',
      detail: more === 0 ? part : `${part}, ${more} more within a minute`,
    });
  /**
   * Records how many further tokens were refused, the oldest entry first. The loop also reaches entries that are added
   * while it runs.
   */
  const recordNumbers = async (): Promise<void> => {
    for (const [key, entry] of counted) {
      const left = Math.min(COUNTED_MS, entry.until - clock.now());
      if (left > 0) await clock.wait(left, signal).catch(() => undefined);
      counted.delete(key);
      if (entry.more > 0) await note(entry.refused, entry.more);
    }
    isCounting = false;
  };
  return async (refused: RefusedToken): Promise<void> => {
    const key = JSON.stringify([refused.tenant, refused.person, refused.part]);
    const running = counted.get(key);
    if (running !== undefined) running.more += 1;
    if (running !== undefined || counted.size >= MAX_COUNTED) return;
    counted.set(key, { refused, until: clock.now() + COUNTED_MS, more: 0 });
    if (!isCounting) background.run('counting refused tokens', recordNumbers);
    isCounting = true;
    await note(refused, 0);
  };
}
