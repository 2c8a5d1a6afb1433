/** An hourglass on a question that waits its turn, for everyone in the thread to see; it goes when the answer begins. */

import type { Background } from '../../../src/kit/background.ts';
import type { Clock, Keyed, Turn, TurnId } from '../../../src/kit.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import type { Reads } from '../receive/reads.ts';
import type { Workspaces } from '../receive/workspace.ts';

const NAME = 'hourglass_flowing_sand';
/** Longer than any question waits. */
const KEPT_MS = 24 * 60 * 60_000;

/** A question that begins sooner than this was given no hourglass by an earlier process, so that nobody has to look. */
const SOON_MS = 500;
/** Turns that are remembered; the oldest goes first. */
const REMEMBERED = 5_000;

export interface HourglassParts {
  readonly reads: Reads;
  readonly workspaces: Workspaces;
  readonly state: Keyed;
  readonly background: Background;
  readonly clock: Clock;
}

export interface Hourglass {
  put(turn: Turn): Promise<void>;
  /** Nobody waits for it. */
  take(turn: Turn): void;
}

export function createHourglass({ reads, workspaces, state, background, clock }: HourglassParts): Hourglass {
  const putting = new Map<TurnId, Promise<void>>();
  const stands = new Set<TurnId>();
  /** Told to wait and begun at the same moment: the hourglass would come after it was taken away. */
  const begun = new Set<TurnId>();
  const react = async (method: 'reactions.add' | 'reactions.remove', { message }: Turn): Promise<void> => {
    const workspace = await workspaces.ofTenant(message.thread.tenant);
    if (workspace === undefined) return;
    const place = { channel: message.thread.room, timestamp: tsOf(message.id) };
    await reads.call(workspace.token, method, { ...place, name: NAME });
  };
  const put = async (turn: Turn): Promise<void> => {
    await state.set(keyOf(turn), true, KEPT_MS);
    await react('reactions.add', turn);
  };
  return {
    async put(turn) {
      if (isPrivate(turn.message.thread) || begun.has(turn.id)) return;
      remember(stands, turn.id);
      const done = put(turn);
      putting.set(turn.id, done);
      await done.finally(() => putting.delete(turn.id));
    },
    take(turn) {
      remember(begun, turn.id);
      if (!stands.delete(turn.id) && clock.now() - turn.keptAt < SOON_MS) return;
      background.run('taking an hourglass away', async () => {
        // Else it could be taken away before it is there.
        await putting.get(turn.id)?.catch(() => undefined);
        if ((await state.get(keyOf(turn))) !== true) return;
        await state.delete(keyOf(turn));
        await react('reactions.remove', turn);
      });
    },
  };
}

function remember(turns: Set<TurnId>, turn: TurnId): void {
  turns.add(turn);
  const [oldest] = turns;
  if (turns.size > REMEMBERED && oldest !== undefined) turns.delete(oldest);
}

/** With the tenant, so that what is kept of one can be deleted. */
function keyOf({ id, message }: Turn): string {
  return `waiting ${message.thread.tenant} ${id}`;
}
