/** Which messages have an hourglass, or may have one: kept before it is put, so that it outlives no process. */

import { count, plains, text } from '../../../src/kit/json.ts';
import { type AdapterHost, type TurnId, turnId } from '../../../src/kit.ts';

const KEY = 'hourglasses';
/** Longer than any question waits; what could not be taken away by then is given up. */
export const KEPT_MS = 24 * 60 * 60_000;
/** Of one workspace in a minute: so many Slack lets be taken away (Tier 2, its page on reactions.remove). */
const OF_TENANT = 20;
const MINUTE_MS = 60_000;
/** Of all workspaces, some 150 bytes each: they are kept as one value. */
const AT_ONCE = 200;

export interface Glass {
  readonly tenant: string;
  readonly room: string;
  readonly ts: string;
  /** What waits. */
  readonly turn: TurnId;
  readonly putAt: number;
}

export interface GlassList {
  all(): readonly Glass[];
  at(place: Omit<Glass, 'turn' | 'putAt'>): Glass | undefined;
  /** Resolves once it is on disk; false where there are enough. Rejects with `store-unavailable`, and then it is not there. */
  add(glass: Glass): Promise<boolean>;
  /** What stood there goes for another turn of the same message. */
  replace(glass: Glass): Promise<void>;
  remove(glass: Glass): Promise<void>;
}

/** What cannot be read is forgotten: the bridge starts all the same. */
export async function openGlasses(host: Pick<AdapterHost, 'state' | 'clock' | 'log'>): Promise<GlassList> {
  const { state, clock, log } = host;
  const value = await state.get(KEY).catch((err: unknown) => {
    log.warn({ err }, 'hourglasses of an earlier process may stay');
    return [];
  });
  const glasses = new Map(decode(value).map((glass) => [placeOf(glass), glass]));
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** One write at a time; changes of the same moment share the next. */
  const save = (): Promise<void> => {
    next ??= last.then(() => {
      next = undefined;
      return state.set(KEY, [...glasses.values()], KEPT_MS);
    });
    last = next.catch(() => undefined);
    return next;
  };
  /** Those of the last minute, oldest first. */
  const removed: { readonly tenant: string; readonly at: number }[] = [];
  const isFull = (tenant: string): boolean => {
    while (removed[0] !== undefined && removed[0].at + MINUTE_MS <= clock.now()) removed.shift();
    const own = [...glasses.values(), ...removed].filter((each) => each.tenant === tenant);
    return glasses.size >= AT_ONCE || own.length >= OF_TENANT;
  };
  return {
    all: () => [...glasses.values()],
    at: (place) => glasses.get(placeOf(place)),
    async add(glass) {
      if (isFull(glass.tenant)) return false;
      glasses.set(placeOf(glass), glass);
      await save().catch((thrown: unknown) => {
        glasses.delete(placeOf(glass));
        throw thrown;
      });
      return true;
    },
    async replace(glass) {
      glasses.set(placeOf(glass), glass);
      await save();
    },
    async remove(glass) {
      if (!glasses.delete(placeOf(glass))) return;
      removed.push({ tenant: glass.tenant, at: clock.now() });
      await save();
    },
  };
}

export const placeOf = ({ tenant, room, ts }: Omit<Glass, 'turn' | 'putAt'>): string =>
  `${tenant} ${room} ${ts}`;

function decode(value: unknown): readonly Glass[] {
  return plains(value).flatMap((each): readonly Glass[] => {
    const [tenant, room, ts, turn] = [each.tenant, each.room, each.ts, each.turn].map(text);
    const putAt = count(each.putAt);
    if (tenant === undefined || room === undefined || ts === undefined) return [];
    if (turn === undefined || putAt === undefined) return [];
    return [{ tenant, room, ts, turn: turnId(turn), putAt }];
  });
}
