/** The limits by place of one tenant: which of them a family's call meets, and where. */

import type { FamilyLimit, SharedWindows } from '../channel/limits.ts';
import type { TurnId } from '../ids.ts';
import { ReplyCounts } from './replies.ts';
import { RoomBuckets } from './rooms.ts';
import { type Gate, Windows } from './windows.ts';

/** Where a call is made. */
export interface Place {
  readonly room: string;
  readonly thread?: string;
}

/** Who asks there, and whether people see nothing of the reply yet. */
interface Asking extends Place {
  readonly reply: TurnId;
  readonly first: boolean;
}

/** A gate, and the place at which it counts. */
interface Passage {
  readonly gate: Gate;
  readonly name: string;
  readonly place: string;
}

export class Gates {
  readonly #limits: Readonly<Record<string, FamilyLimit>>;
  readonly #rooms = new Map<string, RoomBuckets>();
  readonly #shared = new Map<string, Windows>();
  readonly #counts = new ReplyCounts();

  constructor(limits: Readonly<Record<string, FamilyLimit>>) {
    this.#limits = limits;
  }

  wait(family: string, place: Place, now: number): number {
    return longest(this.#of(family, place), ({ gate, place: at }) => gate.wait(at, now));
  }

  /** First words come before the ends of others, and what yields after everything. */
  politeWait(family: string, request: Asking, now: number): number {
    const yields = this.#limits[family]?.yields === true;
    return longest(this.#of(family, request), ({ gate, name, place }) => {
      const replies = this.#counts.add(`${name} ${place}`, request.reply);
      return gate.politeWait(place, now, yields ? Number.POSITIVE_INFINITY : request.first ? 0 : replies);
    });
  }

  /** The reply is over: nothing is kept for its end any more. */
  free(reply: TurnId): void {
    this.#counts.remove(reply);
  }

  take(family: string, place: Place, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.take(at, now);
  }

  giveBack(family: string, place: Place, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.giveBack(at, now);
  }

  answered(family: string, place: Place, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.answered(at, now);
  }

  /** A refusal does not say which limit it met: the narrowest is closed. False where it was closed for as long. */
  close(family: string, place: Place, { ms, now }: { readonly ms: number; readonly now: number }): boolean {
    const [narrowest] = this.#of(family, place);
    if (narrowest === undefined || narrowest.gate.wait(narrowest.place, now) >= ms) return false;
    narrowest.gate.close(narrowest.place, ms, now);
    return true;
  }

  /** The narrowest place first. */
  #of(family: string, { room, thread = room }: Place): readonly Passage[] {
    const { perRoom, shared = [] } = this.#limits[family] ?? {};
    const own =
      perRoom === undefined ? [] : [{ gate: this.#roomsOf(family, perRoom), name: family, place: room }];
    const others = shared.map((each) => ({
      gate: this.#windowsOf(each),
      name: each.name,
      place: { thread, room, tenant: '' }[each.of],
    }));
    return [...own, ...others];
  }

  #roomsOf(family: string, rate: NonNullable<FamilyLimit['perRoom']>): RoomBuckets {
    const found = this.#rooms.get(family) ?? new RoomBuckets(rate);
    this.#rooms.set(family, found);
    return found;
  }

  #windowsOf({ name, windows }: SharedWindows): Windows {
    const found = this.#shared.get(name) ?? new Windows(windows);
    this.#shared.set(name, found);
    return found;
  }
}

function longest(passages: readonly Passage[], wait: (passage: Passage) => number): number {
  return passages.reduce((most, passage) => Math.max(most, wait(passage)), 0);
}
