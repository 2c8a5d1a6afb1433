/** How many replies begin: each will need its end. */

const MINUTE_MS = 60_000;
/** A rush shows within this time. */
const RUSH_MS = 10_000;

export class Demand {
  /** Of the last minute, oldest first. */
  readonly #begins: number[] = [];

  note(now: number): void {
    while ((this.#begins[0] ?? now) <= now - MINUTE_MS) this.#begins.shift();
    this.#begins.push(now);
  }

  /** Replies a minute: as many as in the last one, or as many as the last seconds promise. */
  perMinute(now: number): number {
    const rush = this.#countAfter(now - RUSH_MS) * (MINUTE_MS / RUSH_MS);
    return Math.max(this.#countAfter(now - MINUTE_MS), rush);
  }

  #countAfter(moment: number): number {
    let low = 0;
    let high = this.#begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#begins[middle] ?? 0) > moment) high = middle;
      else low = middle + 1;
    }
    return this.#begins.length - low;
  }
}
