/** Counts the running replies of each place, because each will need calls for its end there. */

import type { TurnId } from '../ids.ts';

export class ReplyCounts {
  readonly #replies = new Map<string, Set<TurnId>>();
  readonly #places = new Map<TurnId, Set<string>>();

  /** Counts the reply in the place until it is removed. Returns the number of replies there. */
  add(place: string, reply: TurnId): number {
    const replies = this.#replies.get(place) ?? new Set();
    this.#replies.set(place, replies.add(reply));
    this.#places.set(reply, (this.#places.get(reply) ?? new Set()).add(place));
    return replies.size;
  }

  remove(reply: TurnId): void {
    for (const place of this.#places.get(reply) ?? []) {
      const replies = this.#replies.get(place);
      replies?.delete(reply);
      if (replies?.size === 0) this.#replies.delete(place);
    }
    this.#places.delete(reply);
  }
}
