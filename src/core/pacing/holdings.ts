/** Slots that replies hold reserved, by reply and family. */

import type { TurnId } from '../ids.ts';

export class Holdings {
  readonly #held = new Map<TurnId, Map<string, number>>();

  of(reply: TurnId, family: string): number {
    return this.#held.get(reply)?.get(family) ?? 0;
  }

  change(reply: TurnId, family: string, by: number): void {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.set(reply, held.set(family, this.of(reply, family) + by));
  }

  /** Forgets the reply; what it held. */
  drop(reply: TurnId): ReadonlyMap<string, number> {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.delete(reply);
    return held;
  }
}
