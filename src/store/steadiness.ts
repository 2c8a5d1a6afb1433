import type { Clock } from '../core/clock.ts';

/** Whether the clock can be trusted to judge our own leases. */
export interface Steadiness {
  /** True when the clock has gone on without a leap, as these looks saw it, for a whole lease. */
  look(): boolean;
}

/**
 * After the clock leapt (it was set, or the machine slept) every lease of this process seems over although all its
 * turns run on. They are renewed within a third of a lease, so a lease's length after the leap it is known which
 * are held. Expects a look more often than once a lease.
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
  };
}
