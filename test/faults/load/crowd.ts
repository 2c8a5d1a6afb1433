/** The people of a run: they act on their questions, and the questions in progress are counted. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../fakes/history/history.ts';
import type { Asked } from './people.ts';
import type { Planned } from './plan.ts';

/** Lets people act on their questions, and counts the questions in progress. */
export function createCrowd({ platform }: Pick<Run, 'platform'>) {
  let pending: { readonly asked: Asked; readonly planned: Planned; readonly since: number }[] = [];
  const acting = new Set<Promise<void>>();
  const isOpen = (id: string, since: number, endedIds: ReadonlySet<string>): boolean =>
    !endedIds.has(id) && Date.now() - since < OPEN_MS;
  /** Ids of the answers that the platform ended, and of those that it completed. */
  const endedIds = new Set<string>();
  const wholeIds = new Set<string>();
  let looked = 0;
  const look = (): void => {
    const { askings } = platform;
    for (const { id, end } of askings.slice(looked)) {
      if (end !== undefined) endedIds.add(id);
      if (end === 'whole') wholeIds.add(id);
    }
    while (askings[looked]?.end !== undefined) looked += 1;
    pending = pending.filter(({ asked, since }) => isOpen(asked.id, since, endedIds));
  };
  const act = async (asked: Asked, { happens, retries }: Planned): Promise<void> => {
    if (happens !== undefined) {
      await pause(happens.afterMs);
      asked.happens(happens.what);
    }
    const until = Date.now() + RETRIES_WITHIN_MS;
    const mayRetry = () => retries && Date.now() < until && !wholeIds.has(asked.id);
    while (mayRetry() && !(endedIds.has(asked.id) && asked.retries())) await pause(RETRY_EVERY_MS);
  };
  return {
    add(asked: Asked, planned: Planned): void {
      pending.push({ asked, planned, since: Date.now() });
      const one = act(asked, planned).finally(() => acting.delete(one));
      acting.add(one);
    },
    /** Resolves when fewer than `most` questions are in progress. */
    async below(most: number): Promise<void> {
      for (look(); pending.length >= most; look()) await pause(50);
    },
    ended: async (): Promise<void> => void (await Promise.all(acting)),
  };
}

/** Maximum time for which a question counts as in progress, in milliseconds. */
const OPEN_MS = 300_000;
/** Maximum time until a person who wants to press Retry gives up, in milliseconds. */
const RETRIES_WITHIN_MS = 15_000;
const RETRY_EVERY_MS = 500;
