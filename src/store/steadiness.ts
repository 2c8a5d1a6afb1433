import type { Clock } from '../core/clock.ts';

/** Tells whether this process's own leases can be judged by the clock. */
export interface Steadiness {
  /** True when neither the clock leapt nor a renewal failed during the last lease's length. */
  look(): boolean;
  /** Records a failed renewal: leases cannot be judged for another lease's length. */
  disturb(): void;
}

/**
 * After the clock leapt (it was set, or the machine slept), or while the store takes no renewal, every lease of this
 * process seems over although its turns run on. Running turns renew within a third of a lease, so one lease's length
 * later the leases can be trusted again. Expects a look more often than once a lease.
 */
export function createSteadiness(clock: Clock, leaseMs: number): Steadiness {
  let steadySince = clock.now();
  let lastLook = steadySince;
  return {
    look: () => {
      const now = clock.now();
      if (now < lastLook || now - lastLook > leaseMs) steadySince = now;
      lastLook = now;
      return now - steadySince >= leaseMs;
    },
    disturb: () => {
      steadySince = clock.now();
    },
  };
}
