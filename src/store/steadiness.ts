import type { Clock } from '../core/clock.ts';

/** Checks that the clock can be trusted to expire this process's own leases. */
export interface Steadiness {
  /** True if, during the last lease's length, the clock did not jump and no renewal failed. */
  look(): boolean;
  /** Records a failed renewal: `look` returns false for another lease's length. */
  disturb(): void;
}

/**
 * After the clock jumped (it was set, or the machine slept), or while the store takes no renewal, all leases of this
 * process seem expired although their turns still run. Running turns renew within a third of a lease, so after one lease
 * the stored leases are right again. `look` must be called at least once per lease.
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
